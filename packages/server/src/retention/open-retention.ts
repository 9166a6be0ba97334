import type { Feature, Services } from '../services.ts';
import { retentionRoutes } from './retention.routes.ts';
import { createRetentionService } from './retention.service.ts';

export function openRetention(
  services: Pick<Services, 'clock' | 'database' | 'erasure' | 'log' | 'meters'>,
): Feature<Pick<Services, 'retention'>> {
  const retention = createRetentionService(services);
  return {
    services: { retention },
    routes: [retentionRoutes],
    rounds: [{ name: 'retention', everyMilliseconds: 300_000, work: retention.round }],
    stop: retention.stop,
  };
}
