import { InboxSettings } from '@svc/contract/inbox';
import { workspaceOf } from '../../http/access.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { operationsOf } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

const operation = operationsOf('Workspace');
const path = '/api/v1/inbox';

export function assigningRoutes(app: HttpApp, { assigning }: Pick<Services, 'assigning'>): void {
  app.get(
    path,
    operation({
      ability: 'workspace:read',
      id: 'getInbox',
      summary: 'Read how conversations are shared',
      schema: { response: { 200: InboxSettings } },
    }),
    (request) => assigning.getSettings(workspaceOf(request)),
  );

  app.put(
    path,
    operation({
      ability: 'workspace:write',
      id: 'replaceInbox',
      summary: 'Set how conversations are shared',
      description:
        'With `assigns_in_turn`, a conversation that begins to wait for a person and is nobody’s is assigned to the operator or owner who has used the console within five minutes and was assigned one longest ago. If there is none, it stays unassigned.',
      schema: { body: InboxSettings, response: { 200: InboxSettings } },
    }),
    (request) => assigning.replaceSettings(workspaceOf(request), request.body),
  );
}
