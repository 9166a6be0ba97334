import { UsageQuery, UsageReport } from '@svc/contract/usage';
import { workspaceOf } from '../http/access.ts';
import type { HttpApp } from '../http/http-app.ts';
import { operation } from '../http/operation.ts';
import type { BillingService } from './billing.service.ts';

export interface UsageRouteDependencies {
  billing: Pick<BillingService, 'report'>;
  /** The workspace's credit; null where it is unlimited. */
  creditOf(workspaceId: string): Promise<string | null>;
}

export function usageRoutes(app: HttpApp, { billing, creditOf }: UsageRouteDependencies): void {
  app.get(
    '/api/v1/usage',
    operation({
      ability: 'workspace:read',
      tag: 'Workspace',
      id: 'getUsage',
      summary: 'Read what was used, what it cost, and what is left',
      description:
        'Sums over all use of models, in replies, checks, grades, drafts and knowledge, including deleted conversations. Usage outside conversations has null as bot and external_user_id.',
      schema: { querystring: UsageQuery, response: { 200: UsageReport } },
    }),
    async (request) => {
      const workspaceId = workspaceOf(request);
      return billing.report(workspaceId, await creditOf(workspaceId), request.query);
    },
  );
}
