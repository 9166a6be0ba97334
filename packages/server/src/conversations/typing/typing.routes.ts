import { Typing } from '@svc/contract/chat';
import { Type } from 'typebox';
import { workspaceOf } from '../../http/access.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { operation } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { ownConversation } from '../own-conversations.ts';

export function typingRoutes(
  app: HttpApp,
  { typing, idempotent }: Pick<Services, 'idempotent' | 'typing'>,
): void {
  app.post(
    '/api/v1/chat/typing',
    operation({
      ability: 'chat:write',
      tag: 'Chat',
      id: 'reportTyping',
      summary: 'Say that the user is writing a message',
      description:
        'People of the team see it while the conversation waits for a person; otherwise nothing happens. Send it every few seconds while the user types: more than once in two seconds has no further effect.',
      // Members are not the user.
      noSession: true,
      endUsers: true,
      schema: { body: Typing, response: { 204: Type.Null() } },
      errors: ['NOT_FOUND'],
      idempotent: true,
      bodyLimit: 16 * 1024,
    }),
    async (request, reply) => {
      const { endUser, body } = request;
      await idempotent<null>(request, async () => {
        await typing.byUser(workspaceOf(request), endUser ? ownConversation(endUser, body) : body);
        return null;
      });
      return reply.code(204).send(null);
    },
  );
}
