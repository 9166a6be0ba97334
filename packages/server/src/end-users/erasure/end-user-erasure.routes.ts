import { EndUserParams, ErasedEndUser } from '@svc/contract/end-users';
import { workspaceOf } from '../../http/access.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { operation } from '../../http/operation.ts';
import type { EndUserErasure } from './end-user-erasure.service.ts';

export function endUserErasureRoutes(app: HttpApp, { endUserErasure }: { endUserErasure: EndUserErasure }) {
  app.delete(
    '/api/v1/end-users/:external_user_id',
    operation({
      ability: 'conversations:write',
      role: 'owner',
      tag: 'End users',
      id: 'eraseEndUser',
      summary: 'Erase a person',
      description: [
        'Ends the tokens of the person, stops what they have running and deletes their conversations on every channel, with messages, events, traces, tool',
        'calls and approvals. Usage is kept for accounting, without the person and the conversation. Conversations that begin',
        'after the request are not affected. It can be repeated, and for a person who never wrote the answer is 200 too.',
      ].join(' '),
      schema: { params: EndUserParams, response: { 200: ErasedEndUser } },
      errors: ['TURN_IN_PROGRESS', 'LEGAL_HOLD'],
    }),
    (request) => endUserErasure.erase(workspaceOf(request), request.params.external_user_id),
  );
}
