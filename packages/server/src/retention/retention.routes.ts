import { Retention, RetentionPreview, RetentionProposal, RetentionUpdate } from '@svc/contract/retention';
import { workspaceOf } from '../http/access.ts';
import type { HttpApp } from '../http/http-app.ts';
import { operationsOf } from '../http/operation.ts';
import type { Services } from '../services.ts';

const operation = operationsOf('Workspace');
const path = '/api/v1/retention';

export function retentionRoutes(
  app: HttpApp,
  { retention, idempotent }: Pick<Services, 'idempotent' | 'retention'>,
): void {
  app.get(
    path,
    operation({
      ability: 'workspace:read',
      id: 'getRetention',
      summary: 'Read how long data is kept',
      description: 'In days; null is for ever. `last_round` is what was last deleted.',
      schema: { response: { 200: Retention } },
    }),
    (request) => retention.get(workspaceOf(request)),
  );

  app.put(
    path,
    operation({
      ability: 'workspace:write',
      id: 'replaceRetention',
      summary: 'Set how long data is kept',
      description:
        'What is older is deleted in the background, within minutes at first and then every hour, and cannot be restored. A preview says how much that is.',
      schema: { body: RetentionUpdate, response: { 200: Retention } },
    }),
    (request) => retention.replace(workspaceOf(request), request.body),
  );

  app.post(
    `${path}/preview`,
    operation({
      ability: 'workspace:read',
      id: 'previewRetention',
      summary: 'See what would be deleted',
      description:
        'With these settings, or with the stored ones where the body says nothing. Nothing is changed.',
      schema: { body: RetentionProposal, response: { 200: RetentionPreview } },
      idempotent: true,
    }),
    (request) =>
      idempotent<RetentionPreview>(request, () => retention.preview(workspaceOf(request), request.body)),
  );
}
