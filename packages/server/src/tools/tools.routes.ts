import { Created, IdParams, Message, Metadata, MetadataFilter } from '@svc/contract/common';
import {
  BotToolsQuery,
  CatalogEntry,
  Tool,
  ToolAssign,
  ToolAssignment,
  ToolCreate,
  ToolTest,
  ToolTestResult,
  ToolUpdate,
} from '@svc/contract/tools';
import { Type } from 'typebox';
import { principalOf, workspaceOf } from '../http/access.ts';
import type { HttpApp } from '../http/http-app.ts';
import { metadataFilter } from '../http/metadata-filter.ts';
import { operationsOf } from '../http/operation.ts';
import type { Services } from '../services.ts';

const operation = operationsOf('Tools');
const approvalNote =
  'To let calls run without approval that would ask by default, or asked before, or to set or change how a tool gets an OAuth access token, the key also needs the ability `approvals:write`.';

export function toolRoutes(
  app: HttpApp,
  {
    tools,
    idempotent,
    concurrencyLimits,
    sendList,
  }: Pick<Services, 'idempotent' | 'concurrencyLimits' | 'sendList' | 'tools'>,
): void {
  app.get(
    '/api/v1/tools',
    operation({
      ability: 'tools:read',
      id: 'listTools',
      summary: 'List all tools',
      schema: { querystring: MetadataFilter, response: { 200: Type.Array(Tool) } },
    }),
    (request, reply) => sendList(reply, tools.list(workspaceOf(request), metadataFilter(request.query))),
  );

  app.get(
    '/api/v1/tools/catalog',
    operation({
      ability: 'tools:read',
      id: 'listToolTypes',
      summary: 'List the types of tools, their configuration schemas and presets',
      schema: { response: { 200: Type.Array(CatalogEntry) } },
    }),
    () => tools.catalog(),
  );

  app.get(
    '/api/v1/tools/bot',
    operation({
      ability: 'tools:read',
      id: 'listBotTools',
      summary: "List a bot's tools",
      schema: { querystring: BotToolsQuery, response: { 200: Type.Array(ToolAssignment) } },
      errors: ['NOT_FOUND'],
    }),
    (request) => tools.listOfBot(workspaceOf(request), request.query.bot_id),
  );

  app.get(
    '/api/v1/tools/:id',
    operation({
      ability: 'tools:read',
      id: 'getTool',
      summary: 'Read a tool',
      description: 'Secret values are never returned: `secrets_set` says which are stored.',
      schema: { params: IdParams, response: { 200: Tool } },
    }),
    (request) => tools.read(workspaceOf(request), request.params.id),
  );

  app.post(
    '/api/v1/tools',
    operation({
      ability: 'tools:write',
      id: 'createTool',
      summary: 'Create a tool',
      description: `What \`configuration\` takes depends on the type: the catalog has the JSON Schema of each. ${approvalNote}`,
      schema: { body: ToolCreate, response: { 201: Created } },
      errors: ['METADATA_INVALID'],
      idempotent: true,
    }),
    async (request, reply) => {
      const author = principalOf(request);
      const work = idempotent<{ id: string }>(request, (record) =>
        tools.create(author.workspaceId, author, request.body, record),
      );
      return reply.code(201).send(await work);
    },
  );

  app.put(
    '/api/v1/tools/:id',
    operation({
      ability: 'tools:write',
      id: 'updateTool',
      summary: 'Change a tool',
      description: approvalNote,
      schema: { params: IdParams, body: ToolUpdate, response: { 200: Message } },
      errors: ['METADATA_INVALID'],
    }),
    async (request) => {
      const author = principalOf(request);
      await tools.update(author.workspaceId, author, request.params.id, request.body);
      return { message: 'The tool was saved.' };
    },
  );

  app.delete(
    '/api/v1/tools/:id',
    operation({
      ability: 'tools:write',
      id: 'deleteTool',
      summary: 'Delete a tool, its secrets and its assignments',
      schema: { params: IdParams, response: { 200: Message } },
    }),
    async (request) => {
      const { workspaceId, keyId } = principalOf(request);
      await tools.delete(workspaceId, keyId, request.params.id);
      return { message: 'The tool was deleted.' };
    },
  );

  app.post(
    '/api/v1/tools/:id/test',
    operation({
      ability: 'tools:write',
      id: 'testTool',
      summary: 'Run a tool once, for real',
      description:
        'This is not a dry run: the tool acts, with its stored configuration and secrets. If the call needs approval, the key also needs the ability `approvals:write`.',
      schema: { params: IdParams, body: ToolTest, response: { 200: ToolTestResult } },
      idempotent: true,
    }),
    (request) => {
      const tester = principalOf(request);
      return idempotent<ToolTestResult>(request, () =>
        concurrencyLimits.during('tool_tests', request, () =>
          tools.test(tester.workspaceId, tester, request.params.id, request.body.parameters ?? {}),
        ),
      );
    },
  );

  app.post(
    '/api/v1/tools/assign',
    operation({
      ability: 'tools:write',
      id: 'assignBotTools',
      summary: "Replace a bot's tools",
      description:
        'The whole set is replaced, or nothing: `details` names every entry that cannot be assigned. The answer is 404 when bots and tools that are not there are all that is wrong. A tool that was switched off is refused, unless the bot has it already. To give a bot a tool that changes something without approval, the key also needs the ability `approvals:write`.',
      schema: { body: ToolAssign, response: { 200: Message } },
      errors: ['NOT_FOUND'],
      idempotent: true,
    }),
    (request) => {
      const author = principalOf(request);
      return idempotent<Message>(request, (record) =>
        tools.assign(author.workspaceId, author, request.body, record),
      );
    },
  );

  app.patch(
    '/api/v1/tools/:id/metadata',
    operation({
      ability: 'tools:write',
      id: 'replaceToolMetadata',
      summary: "Replace a tool's metadata",
      description: 'The body is the whole object; {} clears it.',
      schema: { params: IdParams, body: Metadata, response: { 200: Message } },
      errors: ['METADATA_INVALID'],
    }),
    async (request) => {
      await tools.replaceMetadata(workspaceOf(request), request.params.id, request.body);
      return { message: 'The metadata was replaced.' };
    },
  );
}
