import { Created, Message, Uuid } from '@svc/contract/common';
import { PostCallHook, PostCallHookCreate, PostCallHookUpdate } from '@svc/contract/post-call-hooks';
import { Type } from 'typebox';
import { principalOf, workspaceOf } from '../http/access.ts';
import type { HttpApp } from '../http/http-app.ts';
import type { Idempotent } from '../http/idempotency.ts';
import { operationsOf } from '../http/operation.ts';
import type { SendList } from '../http/send-list.ts';
import type { PostCallHookService } from './post-call-hooks.service.ts';

const operation = operationsOf('Post-call hooks');
const approvalNote =
  'Nobody is asked when a hook runs. If the calls of its tool need approval or change something, the key also needs the ability `approvals:write`. See the [guide](/docs/guides/post-call-hooks).';
const BotParams = Type.Object({ botID: Uuid });
const HookParams = Type.Object({ botID: Uuid, hookID: Uuid });

export function postCallHookRoutes(
  app: HttpApp,
  { hooks, idempotent, sendList }: { hooks: PostCallHookService; idempotent: Idempotent; sendList: SendList },
): void {
  app.get(
    '/api/v1/bots/:botID/post-call-hooks',
    operation({
      ability: 'bots:read',
      id: 'listPostCallHooks',
      summary: "List a bot's hooks, in the order in which they run",
      schema: { params: BotParams, response: { 200: Type.Array(PostCallHook) } },
    }),
    (request, reply) => sendList(reply, hooks.list(workspaceOf(request), request.params.botID)),
  );

  app.post(
    '/api/v1/bots/:botID/post-call-hooks',
    operation({
      ability: 'bots:write',
      id: 'createPostCallHook',
      summary: 'Run a tool after every call',
      description: approvalNote,
      schema: { params: BotParams, body: PostCallHookCreate, response: { 201: Created } },
      errors: ['HOOK_EXISTS'],
      idempotent: true,
    }),
    async (request, reply) => {
      const author = principalOf(request);
      const work = idempotent<{ id: string }>(request, (record) =>
        hooks.create(author.workspaceId, author, request.params.botID, request.body, record),
      );
      return reply.code(201).send(await work);
    },
  );

  app.put(
    '/api/v1/bots/:botID/post-call-hooks/:hookID',
    operation({
      ability: 'bots:write',
      id: 'updatePostCallHook',
      summary: 'Change a hook',
      description: `${approvalNote} \`confirm\` lets a suspended hook run again.`,
      schema: { params: HookParams, body: PostCallHookUpdate, response: { 200: Message } },
      errors: ['HOOK_EXISTS'],
    }),
    async (request) => {
      const { botID: botId, hookID: hookId } = request.params;
      const author = principalOf(request);
      await hooks.update(author.workspaceId, author, { botId, hookId }, request.body);
      return { message: 'The hook was saved.' };
    },
  );

  app.delete(
    '/api/v1/bots/:botID/post-call-hooks/:hookID',
    operation({
      ability: 'bots:write',
      id: 'deletePostCallHook',
      summary: 'Remove a hook',
      schema: { params: HookParams, response: { 200: Message } },
    }),
    async (request) => {
      const { botID: botId, hookID: hookId } = request.params;
      await hooks.delete(workspaceOf(request), { botId, hookId });
      return { message: 'The hook was removed.' };
    },
  );
}
