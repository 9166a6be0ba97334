import { IdParams, Message } from '@svc/contract/common';
import {
  ConsoleWorkspace,
  Member,
  MemberHolding,
  MemberHoldingsQuery,
  MemberUpdate,
  WorkspaceName,
} from '@svc/contract/console-session';
import { Type } from 'typebox';
import { memberOf, personOf, workspaceOf } from '../../http/access.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { operationsOf } from '../../http/operation.ts';
import type { TeamService } from './team.service.ts';

const operation = operationsOf('Console');
const path = '/api/console/members';

export function teamRoutes(app: HttpApp, { team }: { team: TeamService }): void {
  app.get(
    path,
    operation({
      ability: 'session',
      id: 'listMembers',
      summary: 'List the members of the workspace, oldest first',
      schema: { response: { 200: Type.Array(Member) } },
    }),
    (request) => team.list(workspaceOf(request)),
  );

  app.get(
    `${path}/:id/holdings`,
    operation({
      ability: 'session',
      id: 'listMemberHoldings',
      summary: 'List what a member has made, and what is revoked with their role',
      description:
        'Keys, machines, identity secrets of widget keys, and invitations that work, made by the member or with a key that they made. With `role`, `is_revoked` is for that new role; without, for their removal. Owners can ask for everybody, other members only for themselves.',
      schema: {
        params: IdParams,
        querystring: MemberHoldingsQuery,
        response: { 200: Type.Array(MemberHolding) },
      },
    }),
    (request) => team.listHoldings(memberOf(request), request.params.id, request.query.role),
  );

  app.patch(
    `${path}/:id`,
    operation({
      ability: 'session',
      role: 'owner',
      id: 'updateMember',
      summary: 'Change the role of a member',
      description:
        'Takes effect immediately, on open pages too. What the member has made and now exceeds their role is revoked with it.',
      schema: { params: IdParams, body: MemberUpdate, response: { 200: Member } },
      errors: ['LAST_OWNER'],
    }),
    (request) => team.changeRole(memberOf(request), request.params.id, request.body.role),
  );

  app.delete(
    `${path}/:id`,
    operation({
      ability: 'session',
      id: 'removeMember',
      summary: 'Remove a member, or leave the workspace',
      description:
        'Owners can remove everybody, other members only themselves. Takes effect immediately, and revokes what the member has made: keys, machines, identity secrets and invitations.',
      schema: { params: IdParams, response: { 200: Message } },
      errors: ['LAST_OWNER'],
    }),
    async (request) => {
      await team.remove(memberOf(request), request.params.id);
      return { message: 'The member was removed.' };
    },
  );

  app.patch(
    '/api/console/workspace',
    operation({
      ability: 'session',
      role: 'owner',
      id: 'renameWorkspace',
      summary: 'Rename the workspace',
      schema: { body: WorkspaceName, response: { 200: ConsoleWorkspace } },
    }),
    (request) => team.rename(memberOf(request), request.body.name),
  );

  app.post(
    '/api/console/workspaces',
    operation({
      ability: 'session',
      role: null,
      id: 'createWorkspace',
      summary: 'Create another workspace, with you as its owner',
      description:
        'For the owners of the first workspace, which every installation has: new workspaces have no limits until an operator sets them.',
      schema: { body: WorkspaceName, response: { 201: ConsoleWorkspace } },
    }),
    async (request, reply) =>
      reply.code(201).send(await team.createWorkspace(personOf(request), request.body.name)),
  );
}
