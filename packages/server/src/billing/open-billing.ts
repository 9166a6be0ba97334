import type { Feature, Services } from '../services.ts';
import { usageRoutes } from './billing.routes.ts';
import { createBillingService } from './billing.service.ts';
import { createSpender } from './spender.ts';

/** Billing with the credit of workspaces. */
export function openBilling(
  services: Pick<Services, 'clock' | 'database' | 'models' | 'nodeId' | 'workspaces'>,
): Feature<Pick<Services, 'billing' | 'creditOf' | 'spender'>> {
  const { nodeId, workspaces } = services;
  const creditOf = async (workspaceId: string) => (await workspaces.get(workspaceId)).creditUsd;
  const billing = createBillingService(services);
  return {
    services: { billing, creditOf, spender: createSpender({ ...services, creditOf }) },
    routes: [usageRoutes],
    rounds: [
      {
        name: 'money set aside',
        everyMilliseconds: 3_000,
        work: () => billing.releaseAbandoned(nodeId),
        takesOver: true,
      },
    ],
  };
}
