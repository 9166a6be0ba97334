import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createGuardedLane, type GuardedLane } from '../../src/egress/guarded-lane.ts';
import type { AppError } from '../../src/lib/app-error.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createToolRegistry } from '../../src/tools/tool-registry.ts';
import type { Configuration, ToolType } from '../../src/tools/tool-type.ts';
import { createHttpRequestType } from '../../src/tools/types/http-request/http-request-type.ts';
import { parseJsonPath, readJsonPath } from '../../src/tools/types/shared/json-path.ts';
import { createRedactor } from '../../src/tools/types/shared/redactor.ts';
import { type OutsideServer, startOutsideServer } from '../egress/support.ts';
import { holdingOf } from '../support/event-loop.ts';
import { type McpTrial, startMcpTrial } from '../support/mcp-client.ts';
import { callTool } from './support.ts';

let api: OutsideServer;
let lane: GuardedLane;
let type: ToolType;
beforeAll(async () => {
  api = await startOutsideServer();
  api.answerWith((_request, response) => response.end('{}'));
  lane = createGuardedLane({ allow: [`127.0.0.1:${api.port}`] });
  type = createHttpRequestType({ lane, clock: systemClock });
});
afterAll(async () => {
  await lane.close();
  await api.close();
});

const parameters = { type: 'object', properties: { a: {} } };
const many = (count: number, value: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]));
const post = (body: unknown, bodyType: string) => ({ method: 'POST', body, body_type: bodyType });

describe('a request whose arguments make it too large', () => {
  it.each<[string, Configuration & { path?: string }, unknown, string]>([
    ['query', { query: many(100, '{{a}}') }, 'é'.repeat(50_000), 'the address would be larger than 64 KB'],
    ['path', { path: '{{a}}'.repeat(700) }, 'é'.repeat(50_000), 'the address would be larger than 64 KB'],
    ['encoded query', { query: { q: '{{a}}' } }, 'é'.repeat(15_000), 'the address would be'],
    ['headers', { headers: many(50, '{{a}}') }, 'x'.repeat(2000), 'the headers would be larger than 64 KB'],
    [
      'text',
      post('{{a}}'.repeat(10_000), 'text'),
      'x'.repeat(60_000),
      'the body would be larger than 1024 KB',
    ],
    ['JSON', post(Array(7000).fill('{{a}}'), 'json'), 'x'.repeat(100_000), 'the body would be larger than'],
    ['JSON escapes', post({ x: 'is {{a}}' }, 'json'), '\u0001'.repeat(200_000), 'the body would be larger'],
    ['form', post({ x: '{{a}}' }, 'form'), Array(200_000).fill(''), 'the body would be larger than 1024 KB'],
    ['form names', post({ ['n'.repeat(50_000)]: '{{a}}' }, 'form'), Array(500).fill(1), 'the body would be'],
  ])('%s', async (_name, { path = '', ...configuration }, a, expected) => {
    api.received.length = 0;
    const url = `${api.url}/${path}`;
    const { heldMs, result } = await holdingOf(() =>
      callTool(type, { parameters, ...configuration, url }, { a }),
    );
    expect(result).toMatchObject({ status: 'error', content: expect.stringContaining(expected) as string });
    expect(api.received).toEqual([]);
    expect(heldMs).toBeLessThan(500);
  });

  it('is sent when it just fits', async () => {
    const a = 'x'.repeat(60_000);
    api.received.length = 0;
    const configuration = { ...post('{{a}}'.repeat(17), 'text'), url: api.url, parameters };
    expect((await callTool(type, configuration, { a })).status).toBe('ok');
    expect(api.received[0]?.body.length).toBe(17 * 60_000);
  });
});

describe('a configuration', () => {
  const check = (configuration: Configuration) =>
    createToolRegistry([type]).check(type, { url: 'https://api.example/', ...configuration });

  it('is checked quickly, however many placeholders and parameters it has', async () => {
    const properties = Object.fromEntries(Array.from({ length: 2500 }, (_, index) => [`p${index}`, {}]));
    const query = many(100, '{{p2499}}'.repeat(900));
    const { heldMs } = await holdingOf(async () =>
      check({ query, parameters: { type: 'object', properties } }),
    );
    expect(heldMs).toBeLessThan(400);
  });

  it.each<[string, Configuration]>([
    ['configuration.query.q', { query: { q: 'x'.repeat(8193) } }],
    ['configuration.response_path', { response_path: '[*]'.repeat(11) }],
  ])('is refused when %s is too large', (path, configuration) => {
    let error: unknown;
    try {
      check(configuration);
    } catch (thrown) {
      error = thrown;
    }
    expect((error as AppError | undefined)?.details).toMatchObject([{ path }]);
  });
});

it('follows a long path through nested lists without copying them at each level', async () => {
  const depth = 160;
  const entries = Array.from({ length: 300_000 }, (_, index) => index);
  const value: unknown = JSON.parse('['.repeat(depth - 1) + JSON.stringify(entries) + ']'.repeat(depth - 1));
  const steps = parseJsonPath('[*]'.repeat(depth)) ?? [];
  const { heldMs, result } = await holdingOf(async () => readJsonPath(value, steps));
  expect(result).toEqual(entries);
  expect(heldMs).toBeLessThan(500);
});

describe('redacting secrets', () => {
  const large = Object.fromEntries(Array.from({ length: 190_000 }, (_, index) => [`key${index}`, 'a value']));
  const redactor = createRedactor(['a "secret"']);

  it('does not walk through values without secrets', async () => {
    const { heldMs, result } = await holdingOf(async () => redactor.json(large));
    // It is the value itself.
    expect(result === large).toBe(true);
    expect(heldMs).toBeLessThan(400);
  });

  it('walks through a limited part of values with secrets', async () => {
    const echoed = { first: 'a "secret"', ...large, last: 'a "secret"' };
    const { heldMs, result } = await holdingOf(async () => redactor.json(echoed));
    expect(result).toMatchObject({ first: '***', key0: 'a value', '…': '…' });
    expect(JSON.stringify(result)).not.toContain('secret');
    expect(heldMs).toBeLessThan(600);
  });
});

describe('the tools of an MCP server', () => {
  let trial: McpTrial;
  afterEach(() => trial.stop());
  const schema = (properties: number) => ({
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: properties }, (_, index) => [`property_${index}`, { type: 'string' }]),
    ),
  });

  it('are cleaned once, and offered up to a size limit', async () => {
    trial = await startMcpTrial();
    trial.server.tools = Array.from({ length: 80 }, (_, index) => ({
      name: `tool${index}`,
      inputSchema: schema(1000),
    }));
    const functions = () => trial.functions({ authorization: 'Bearer property_7"' });
    const first = await functions();
    const { heldMs, result } = await holdingOf(functions);
    expect(heldMs).toBeLessThan(200);
    expect(result).toHaveLength(80);
    // The same objects: they were not cleaned again.
    expect(result[0]?.parameters === first[0]?.parameters).toBe(true);
    const usable = result.filter(({ unusable }) => unusable === undefined);
    expect(usable.map(({ name }) => name)).toEqual(first.slice(0, usable.length).map(({ name }) => name));
    expect(usable.length).toBeGreaterThan(10);
    expect(JSON.stringify(usable.map((one) => one.parameters)).length).toBeLessThan(1024 * 1024);
    expect(result.at(-1)).toMatchObject({
      parameters: { type: 'object' },
      unusable: expect.stringContaining('take up 1 MB') as string,
    });
  });
});
