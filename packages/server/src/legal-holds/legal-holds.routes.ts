import { IdParams, Message } from '@svc/contract/common';
import { LegalHold, LegalHoldCreate } from '@svc/contract/legal-holds';
import { Type } from 'typebox';
import { workspaceOf } from '../http/access.ts';
import type { HttpApp } from '../http/http-app.ts';
import { operationsOf } from '../http/operation.ts';
import type { Services } from '../services.ts';

const operation = operationsOf('Workspace');
const path = '/api/v1/legal-holds';

export function legalHoldRoutes(
  app: HttpApp,
  { legalHolds, idempotent, sendList }: Pick<Services, 'idempotent' | 'legalHolds' | 'sendList'>,
): void {
  app.get(
    path,
    operation({
      ability: 'workspace:read',
      role: 'operator',
      id: 'listLegalHolds',
      summary: 'List legal holds, oldest first',
      schema: { response: { 200: Type.Array(LegalHold) } },
    }),
    (request, reply) => sendList(reply, legalHolds.list(workspaceOf(request))),
  );

  app.post(
    path,
    operation({
      ability: 'workspace:write',
      id: 'placeLegalHold',
      summary: 'Keep data from being deleted',
      description: [
        'Of a person, of a conversation, or of the whole workspace if neither is named. Until the hold is released, retention skips',
        'the data, and whatever else would delete it answers 409 `LEGAL_HOLD`. A person who is being erased is erased first: if that',
        'takes longer than a few seconds, the answer is 409 `ERASURE_IN_PROGRESS` and no hold is placed.',
      ].join(' '),
      schema: { body: LegalHoldCreate, response: { 201: LegalHold } },
      errors: ['NOT_FOUND', 'ERASURE_IN_PROGRESS'],
      idempotent: true,
    }),
    async (request, reply) => {
      const work = idempotent<LegalHold>(request, (record) =>
        legalHolds.place(workspaceOf(request), request.body, record),
      );
      return reply.code(201).send(await work);
    },
  );

  app.delete(
    `${path}/:id`,
    operation({
      ability: 'workspace:write',
      id: 'releaseLegalHold',
      summary: 'Release a legal hold',
      description: 'What is older than the retention of the workspace is deleted by one of its next rounds.',
      schema: { params: IdParams, response: { 200: Message } },
    }),
    async (request) => {
      await legalHolds.release(workspaceOf(request), request.params.id);
      return { message: 'The hold was released.' };
    },
  );
}
