import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bindFunctions } from '../../src/tools/bound-function.ts';
import { testTool } from '../../src/tools/test-tool.ts';
import { createToolRegistry } from '../../src/tools/tool-registry.ts';
import type { ConfiguredTool } from '../../src/tools/tool-type.ts';
import { createMcp } from '../../src/tools/types/mcp/mcp.ts';
import { createMcpSessions } from '../../src/tools/types/mcp/mcp-sessions.ts';
import { type OutsideServer, startOutsideServer } from '../egress/support.ts';
import { holdingOf } from '../support/event-loop.ts';
import { type FakeMcpServer, startFakeMcpServer } from '../support/mcp-server.ts';
import { patienceMs } from '../support/patience.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
let outside: OutsideServer;
beforeAll(async () => {
  outside = await startOutsideServer();
  service = await startTestApp({ environment: { SVC_EGRESS_ALLOW: '127.0.0.1' } });
});
afterAll(async () => {
  await service.stop();
  await outside.close();
});

const nested = { properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { type: 'string', pattern: '(' } } };

describe("the schema of an agent's output", () => {
  const save = (schema: object) =>
    service.call('POST /api/v1/bots', {
      body: { name: 'x', system_prompt: 'x', output_config: { format: 'json', schema } },
    });

  it.each<[string, object, string]>([
    ['a bad pattern', nested, 'output_config.schema.$defs.a.pattern is not a regular expression.'],
    [
      'a bad pattern for names',
      { patternProperties: { '[': {} } },
      'output_config.schema.patternProperties.[ is not a regular expression.',
    ],
    [
      'what is not supported',
      { items: { $dynamicRef: '#a' } },
      'output_config.schema.items.$dynamicRef is not supported.',
    ],
    [
      'more than 32,768 bytes',
      { description: 'x'.repeat(32_768) },
      'output_config.schema must be at most 32768 bytes as JSON.',
    ],
  ])('cannot have %s', async (_name, schema, message) => {
    const answer = await save(schema);
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED', message } });
    expect(message).toContain(answer.body.details[0].path);
  });

  it('may have 32,768 bytes', async () => {
    const empty = JSON.stringify({ description: '' }).length;
    const { status, body } = await save({ description: 'x'.repeat(32_768 - empty) });
    expect(status).toBe(201);
    const update = { output_config: { format: 'json', schema: nested } };
    expect((await service.call(`PUT /api/v1/bots/${body.id}`, { body: update })).status).toBe(400);
  });
});

describe('the parameters of an HTTP tool', () => {
  const create = (parameters: object, key?: string) =>
    service.call('POST /api/v1/tools', {
      ...(key && { key }),
      body: {
        name: 'x',
        description: 'x',
        tool_type: 'http_request',
        configuration: { url: `${outside.url}/{{text}}`, parameters: { type: 'object', ...parameters } },
      },
    });
  const text = (schema: object) => ({ properties: { text: { type: 'string', ...schema } } });
  const run = (id: string, given: string, key?: string) =>
    service.call(`POST /api/v1/tools/${id}/test`, {
      ...(key && { key }),
      body: { parameters: { text: given } },
    });

  it('cannot have a schema that cannot be checked', async () => {
    const bad = await create({ ...text({}), $defs: { a: { patternProperties: { '(': {} } } } });
    expect(bad).toMatchObject({
      status: 400,
      body: { message: 'configuration.parameters.$defs.a.patternProperties.( is not a regular expression.' },
    });
    const unsupported = await create(text({ $anchor: 'a' }));
    expect(unsupported.body.details).toEqual([
      { path: 'configuration.parameters.properties.text.$anchor', message: 'is not supported' },
    ]);
  });

  it('block no other request with a pattern that takes forever', async () => {
    const other = await service.makeWorkspace();
    const evil = await create(text({ pattern: '^(a+)+$' }));
    const good = await create(text({ pattern: '^[a-z]+$' }), other.key);
    expect([evil.status, good.status]).toEqual([201, 201]);
    const ended: string[] = [];
    const { heldMs } = await holdingOf(async () => {
      const tests = Array.from({ length: 4 }, async () => {
        const answer = await run(evil.body.id, `${'a'.repeat(60)}!`);
        ended.push('evil');
        return answer;
      });
      const answer = await run(good.body.id, 'abc', other.key);
      ended.push('good');
      expect(answer.body).toMatchObject({ success: true });
      for (const { body } of await Promise.all(tests)) {
        expect(body).toMatchObject({ success: false, error: expect.stringContaining('cannot be checked') });
      }
    });
    expect(heldMs).toBeLessThan(200);
    expect(ended.indexOf('good')).toBeLessThanOrEqual(2);
  });
});

describe('the schemas of an MCP server', () => {
  let server: FakeMcpServer;
  const sessions = createMcpSessions({ fetch: globalThis.fetch, log: pino({ level: 'silent' }) });
  const type = createMcp({ sessions });
  const registry = createToolRegistry([type]);
  beforeAll(async () => {
    server = await startFakeMcpServer();
    server.tools = [
      {
        name: 'good',
        inputSchema: { type: 'object', properties: { mail: { pattern: '^(?!.*\\.\\.).+@.+$' } } },
      },
      { name: 'bad', inputSchema: { type: 'object', ...nested } },
      { name: 'odd', inputSchema: { type: 'object', $dynamicRef: '#a' } },
    ];
  });
  afterAll(async () => {
    await sessions.close();
    await server.stop();
  });
  const tool = (): ConfiguredTool => ({
    id: '0198c2a4-0000-7000-8000-000000000002',
    workspaceId: '0198c2a4-0000-7000-8000-000000000001',
    name: 'Desk',
    description: '',
    configuration: { url: server.url },
  });

  it('that cannot be used hide their tools from the bot, with a line in the log', async () => {
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(line) });
    const assignment = {
      toolConfigurationId: tool().id ?? null,
      toolType: 'mcp',
      toolInstructions: null,
      toolErrorHandlingMode: 'passthrough',
    } as unknown as Parameters<typeof bindFunctions>[0][number]['assignment'];
    const offered = await bindFunctions(
      [{ assignment, tool: tool() }],
      registry,
      log,
      AbortSignal.timeout(patienceMs),
    );
    expect(offered.map(({ name }) => name)).toEqual(['Desk_good']);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        count: 2,
        reasons: [
          'Desk_bad: inputSchema.$defs.a.pattern is not a regular expression',
          'Desk_odd: inputSchema.$dynamicRef is not supported',
        ],
      },
    ]);
  });

  it('that cannot be used are reported in a test of the tool', async () => {
    const test = (parameters: Record<string, unknown>) =>
      testTool({
        database: undefined as never, // Nothing is called, so nothing is recorded.
        type,
        tool: tool(),
        isDraft: false,
        parameters,
        tester: { abilities: new Set(), keyId: 'x' },
      });
    const shown = await test({});
    expect(shown).toMatchObject({
      success: true,
      result: {
        tools: ['good'],
        left_out: [{ tool: 'bad' }, { tool: 'odd', reason: expect.stringMatching(/not supported/) }],
      },
    });
    const called = await test({ tool: 'bad' });
    expect(called).toMatchObject({
      success: false,
      error: expect.stringMatching(/^bad cannot be used: inputSchema/),
    });
    expect(server.asked).not.toContain('tools/call');
  });
});
