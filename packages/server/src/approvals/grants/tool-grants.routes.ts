import { IdParams, Message } from '@svc/contract/common';
import { ToolGrant } from '@svc/contract/tool-grants';
import { Type } from 'typebox';
import { workspaceOf } from '../../http/access.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { operationsOf } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

const operation = operationsOf('Approvals');
const path = '/api/v1/tool-grants';

export function toolGrantRoutes(
  app: HttpApp,
  { toolGrants, sendList }: Pick<Services, 'sendList' | 'toolGrants'>,
): void {
  app.get(
    path,
    operation({
      ability: 'conversations:read',
      id: 'listToolGrants',
      summary: 'List the tools that bots may call without asking, oldest first',
      description:
        'Such a grant is given with `"grant": "bot"` of an answer. It counts for all conversations of the bot, no longer than its giver may answer approvals, and until what the tool does is changed, or it is switched off or taken from the bot.',
      schema: { response: { 200: Type.Array(ToolGrant) } },
    }),
    (request, reply) => sendList(reply, toolGrants.list(workspaceOf(request))),
  );

  app.delete(
    `${path}/:id`,
    operation({
      ability: 'approvals:write',
      id: 'revokeToolGrant',
      summary: 'Ask about the calls of a tool again',
      description: 'Calls that it has approved already are not affected.',
      schema: { params: IdParams, response: { 200: Message } },
    }),
    async (request) => {
      await toolGrants.revoke(workspaceOf(request), request.params.id);
      return { message: 'The grant was revoked.' };
    },
  );
}
