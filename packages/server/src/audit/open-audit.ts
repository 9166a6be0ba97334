import type { Feature, Services } from '../services.ts';
import { auditRoutes } from './audit.routes.ts';
import { createAuditService } from './audit.service.ts';

export function openAudit(services: Pick<Services, 'database'>): Feature<Pick<Services, 'audit'>> {
  const audit = createAuditService(services);
  return {
    services: { audit },
    routes: [auditRoutes],
  };
}
