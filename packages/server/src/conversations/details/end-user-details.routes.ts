import { Message } from '@svc/contract/common';
import { EndUserDetails, EndUserDetailsUpdate } from '@svc/contract/end-user-details';
import { EndUserParams } from '@svc/contract/end-users';
import { workspaceOf } from '../../http/access.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { operationsOf } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

const operation = operationsOf('End users');
const path = '/api/v1/end-users/:external_user_id';

export function endUserDetailRoutes(
  app: HttpApp,
  { endUserDetails }: Pick<Services, 'endUserDetails'>,
): void {
  app.get(
    path,
    operation({
      ability: 'conversations:read',
      id: 'getEndUser',
      summary: 'Read what is known of a person',
      description:
        'What they have told a widget of themselves, or the team has written down, and where the widget last saw them. A person without conversations is not found.',
      schema: { params: EndUserParams, response: { 200: EndUserDetails } },
    }),
    (request) => endUserDetails.get(workspaceOf(request), request.params.external_user_id),
  );

  app.patch(
    path,
    operation({
      ability: 'conversations:write',
      id: 'updateEndUser',
      summary: 'Correct the name or email of a person',
      description: 'Null removes it. Characters that cannot be seen are removed from names.',
      schema: { params: EndUserParams, body: EndUserDetailsUpdate, response: { 200: Message } },
    }),
    async (request) => {
      const { params, body } = request;
      await endUserDetails.update(workspaceOf(request), params.external_user_id, body);
      return { message: 'The person was saved.' };
    },
  );
}
