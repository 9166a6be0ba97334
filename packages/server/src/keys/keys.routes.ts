import { IdParams, Message } from '@svc/contract/common';
import { AccountKey, AccountKeyCreate, CreatedAccountKey } from '@svc/contract/keys';
import { Type } from 'typebox';
import { principalOf, workspaceOf } from '../http/access.ts';
import type { HttpApp } from '../http/http-app.ts';
import type { Idempotent } from '../http/idempotency.ts';
import { operationsOf } from '../http/operation.ts';
import type { SendList } from '../http/send-list.ts';
import type { KeyService } from './keys.service.ts';

const operation = operationsOf('Workspace');
const path = '/api/v1/keys';

export function keyRoutes(
  app: HttpApp,
  { keys, idempotent, sendList }: { keys: KeyService; idempotent: Idempotent; sendList: SendList },
): void {
  app.get(
    path,
    operation({
      ability: 'workspace:write',
      id: 'listKeys',
      summary: 'List account keys, oldest first',
      description:
        'Those of this workspace, revoked and expired ones too. The keys themselves cannot be shown again.',
      schema: { response: { 200: Type.Array(AccountKey) } },
    }),
    (request, reply) => sendList(reply, keys.listIn(workspaceOf(request))),
  );

  app.post(
    path,
    operation({
      ability: 'workspace:write',
      id: 'createKey',
      summary: 'Create an account key',
      description:
        'The key is shown this one time; with an `Idempotency-Key` a repeat gets it again for 24 hours. A key cannot grant abilities that it does not have, `all` needs `all`, and a key that expires cannot create one that outlives it: that is 403.',
      schema: { body: AccountKeyCreate, response: { 201: CreatedAccountKey } },
      idempotent: true,
    }),
    async (request, reply) => {
      const principal = principalOf(request);
      // Before a repeat is answered: the first answer may be more than this caller could have asked for.
      const grant = keys.readGrant(principal, request.body);
      const work = idempotent<CreatedAccountKey>(request, (record) =>
        keys.createGranted(principal, grant, record),
      );
      return reply.code(201).send(await work);
    },
  );

  app.delete(
    `${path}/:id`,
    operation({
      ability: 'workspace:write',
      id: 'revokeKey',
      summary: 'Revoke an account key',
      description:
        'It stops working immediately, on every node and on open streams; a repeat changes nothing. A key can revoke itself. Keys that it created keep working.',
      schema: { params: IdParams, response: { 200: Message } },
    }),
    async (request) => {
      await keys.revokeIn(workspaceOf(request), request.params.id);
      return { message: 'The key was revoked.' };
    },
  );
}
