import type { Feature, Services } from '../services.ts';
import { legalHoldRoutes } from './legal-holds.routes.ts';
import { createLegalHoldService } from './legal-holds.service.ts';

export function openLegalHolds(
  services: Pick<Services, 'clock' | 'database'>,
): Feature<Pick<Services, 'legalHolds'>> {
  return { services: { legalHolds: createLegalHoldService(services) }, routes: [legalHoldRoutes] };
}
