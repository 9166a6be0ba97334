import { EndUserToken, EndUserTokenCreate } from '@svc/contract/end-users';
import { principalOf } from '../http/access.ts';
import type { HttpApp } from '../http/http-app.ts';
import type { Idempotent } from '../http/idempotency.ts';
import { operation } from '../http/operation.ts';
import type { EndUserService } from './service.ts';

const tag = 'End users';

export interface EndUserRouteDependencies {
  endUsers: Pick<EndUserService, 'createToken'>;
  idempotent: Idempotent;
}

export function endUserRoutes(app: HttpApp, { endUsers, idempotent }: EndUserRouteDependencies): void {
  app.post(
    '/api/v1/end-user-tokens',
    operation({
      ability: 'chat:write',
      // A token stops working with the key that issued it, and a session is not a key.
      noSession: true,
      tag,
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
}
