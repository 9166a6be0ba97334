import { IdParams, Message } from '@svc/contract/common';
import {
  AcceptedInvitation,
  Invitation,
  InvitationAcceptance,
  InvitationConfirmation,
  InvitationCreate,
  InvitationLookUp,
  NewInvitation,
  OpenInvitation,
} from '@svc/contract/console-session';
import { Type } from 'typebox';
import { memberOf, workspaceOf } from '../../http/access.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { setCookies } from '../../http/member.ts';
import { operationsOf } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

const operation = operationsOf('Console');
const path = '/api/console/invitations';

export function invitationRoutes(
  app: HttpApp,
  dependencies: Pick<Services, 'idempotent' | 'invitations' | 'members'>,
): void {
  const { invitations, members, idempotent } = dependencies;

  app.get(
    path,
    operation({
      ability: 'session',
      role: 'owner',
      id: 'listInvitations',
      summary: 'List the invitations that nobody has accepted yet',
      schema: { response: { 200: Type.Array(Invitation) } },
    }),
    (request) => invitations.list(workspaceOf(request)),
  );

  app.post(
    path,
    operation({
      ability: 'session',
      role: 'owner',
      id: 'createInvitation',
      summary: 'Create an invitation link',
      description:
        'It works once, for 7 days, and is shown only now. Without `email` it is open: whoever opens it must confirm an address by mail, so the service needs a mail server.',
      schema: { body: InvitationCreate, response: { 201: NewInvitation } },
      idempotent: true,
    }),
    async (request, reply) => {
      const { workspaceId, member } = memberOf(request);
      const work = idempotent<NewInvitation>(request, (record) =>
        invitations.create(workspaceId, member.id, request.body, record),
      );
      return reply.code(201).send(await work);
    },
  );

  app.delete(
    `${path}/:id`,
    operation({
      ability: 'session',
      role: 'owner',
      id: 'revokeInvitation',
      summary: 'Revoke an invitation',
      schema: { params: IdParams, response: { 200: Message } },
    }),
    async (request) => {
      await invitations.revoke(workspaceOf(request), request.params.id);
      return { message: 'The invitation was revoked.' };
    },
  );

  app.post(
    '/api/console/invitation',
    operation({
      ability: 'own_page',
      id: 'findInvitation',
      summary: 'Read what an invitation link invites to',
      schema: { body: InvitationLookUp, response: { 200: OpenInvitation } },
      errors: ['FORBIDDEN', 'RATE_LIMITED'],
    }),
    ({ body, headers, ip: address }) => invitations.show(body.token, { headers, address }),
  );

  app.post(
    '/api/console/invitation/confirm',
    operation({
      ability: 'own_page',
      id: 'confirmInvitation',
      summary: 'Send an open invitation to an address, which confirms it',
      description:
        'The mail has a link that works once, for a day, and for this address only. At most 5 within an hour for one invitation.',
      schema: { body: InvitationConfirmation, response: { 200: Message } },
      errors: ['FORBIDDEN', 'RATE_LIMITED', 'UPSTREAM_FAILED'],
    }),
    async ({ body, headers, ip: address }) => {
      await invitations.sendTo(body, { headers, address });
      return { message: 'The mail was sent.' };
    },
  );

  app.post(
    '/api/console/invitation/accept',
    operation({
      ability: 'own_page',
      id: 'acceptInvitation',
      summary: 'Accept an invitation, with a new account or as the person who is signed in',
      schema: { body: InvitationAcceptance, response: { 200: AcceptedInvitation } },
      errors: ['UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMITED'],
    }),
    async (request, reply) => {
      const { body, headers, ip: address } = request;
      if (body.email === undefined && members.hasCookie(headers)) {
        const person = await members.requirePerson(headers);
        const { workspaceId } = await invitations.acceptAs(person, body.token, { headers, address });
        return { workspace_id: workspaceId };
      }
      const { workspaceId, cookies } = await invitations.acceptAsNewPerson(body, { headers, address });
      setCookies(reply, cookies);
      return { workspace_id: workspaceId };
    },
  );
}
