import { Message } from '@svc/contract/common';
import { EndUserParams, EndUserToken, EndUserTokenCreate } from '@svc/contract/end-users';
import { principalOf, workspaceOf } from '../http/access.ts';
import type { HttpApp } from '../http/http-app.ts';
import { operationsOf } from '../http/operation.ts';
import type { Services } from '../services.ts';

const operation = operationsOf('End users');

export function endUserRoutes(
  app: HttpApp,
  { endUsers, idempotent }: Pick<Services, 'endUsers' | 'idempotent'>,
): void {
  app.post(
    '/api/v1/end-user-tokens',
    operation({
      ability: 'chat:write',
      // A token stops working with the key that issued it, and a session is not a key.
      noSession: true,
      id: 'createEndUserToken',
      summary: 'Issue a token for a person, for use in a browser',
      description:
        "With it a page can send messages and read, follow or stop that person's chats, and do nothing else. It stops working when it expires, or when the account key that issued it does. Browsers send it only from the origins in `SVC_CORS_ORIGINS`.",
      schema: { body: EndUserTokenCreate, response: { 201: EndUserToken } },
      errors: ['NOT_FOUND'],
      idempotent: true,
    }),
    async (request, reply) => {
      const token = await idempotent<EndUserToken>(request, () =>
        endUsers.createToken(principalOf(request), request.body),
      );
      return reply.code(201).send(token);
    },
  );

  app.post(
    '/api/v1/end-users/:external_user_id/revoke',
    operation({
      ability: 'conversations:write',
      id: 'revokeEndUser',
      summary: "End a person's sessions",
      description: [
        "Ends the person's tokens, however they were issued, with the renewals of widgets, open streams and calls from browsers, on every",
        'node and at once. Their conversations stay. Tokens that are issued afterwards work, so keep whoever must stay out from signing in.',
        'It can be repeated, and for a person who has no token the answer is 200 too.',
      ].join(' '),
      schema: { params: EndUserParams, response: { 200: Message } },
      idempotent: true,
    }),
    (request) =>
      idempotent<Message>(request, async () => {
        await endUsers.revoke(workspaceOf(request), request.params.external_user_id);
        return { message: "The person's sessions have ended." };
      }),
  );
}
