import {
  OfferedFunction,
  ToolDraftFunctions,
  ToolDraftTest,
  ToolUse,
  ToolUseQuery,
} from '@svc/contract/console-tools';
import { ToolTestResult } from '@svc/contract/tools';
import { Type } from 'typebox';
import { principalOf, workspaceOf } from '../../http/access.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { operationsOf } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

const operation = operationsOf('Console');
const path = '/api/console/tools';

export function consoleToolRoutes(
  app: HttpApp,
  {
    tools,
    toolUses,
    idempotent,
    concurrencyLimits,
  }: Pick<Services, 'idempotent' | 'concurrencyLimits' | 'toolUses' | 'tools'>,
): void {
  app.get(
    `${path}/uses`,
    operation({
      ability: 'session',
      id: 'listToolUses',
      summary: 'List which bots use each tool, and when its secrets were set',
      schema: { querystring: ToolUseQuery, response: { 200: Type.Array(ToolUse) } },
      errors: ['NOT_FOUND'],
    }),
    (request) => toolUses.list(workspaceOf(request), request.query.tool_id),
  );

  app.post(
    `${path}/test`,
    operation({
      ability: 'session',
      role: 'operator',
      id: 'testToolDraft',
      summary: 'Run a tool that is not saved once, for real',
      description:
        'With `tool_id`, secrets that are not sent are those of the stored tool, unless the address has changed.',
      schema: { body: ToolDraftTest, response: { 200: ToolTestResult } },
      errors: ['NOT_FOUND'],
      idempotent: true,
    }),
    (request) => {
      const tester = principalOf(request);
      return idempotent<ToolTestResult>(request, () =>
        concurrencyLimits.during('tool_tests', request, () =>
          tools.testDraft(tester.workspaceId, tester, request.body),
        ),
      );
    },
  );

  app.post(
    `${path}/functions`,
    operation({
      ability: 'session',
      role: 'operator',
      id: 'listDraftFunctions',
      summary: 'List the functions that a model would get from a tool that is not saved',
      description: 'An MCP server is asked for its tools.',
      schema: { body: ToolDraftFunctions, response: { 200: Type.Array(OfferedFunction) } },
      errors: ['NOT_FOUND', 'UPSTREAM_FAILED'],
      idempotent: true,
    }),
    (request) =>
      idempotent<OfferedFunction[]>(request, () =>
        concurrencyLimits.during('tool_tests', request, () =>
          tools.listDraftFunctions(workspaceOf(request), request.body),
        ),
      ),
  );
}
