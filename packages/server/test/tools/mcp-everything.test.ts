import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGuardedLane } from '../../src/egress/guarded-lane.ts';
import { createMcp } from '../../src/tools/types/mcp/mcp.ts';
import { createMcpSessions } from '../../src/tools/types/mcp/mcp-sessions.ts';
import { patienceMs } from '../support/patience.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { type EverythingServer, startEverythingServer } from './everything-server.ts';

/** The reference server is an implementation that we did not write. */
let server: EverythingServer;
let service: TestApp;
beforeAll(async () => {
  server = await startEverythingServer();
  service = await startTestApp({ environment: { SVC_EGRESS_ALLOW: '127.0.0.1' } });
});
afterAll(async () => {
  await service.stop();
  await server.stop();
});

async function makeTool(configuration: object = {}): Promise<string> {
  const body = {
    tool_type: 'mcp',
    name: 'Everything',
    description: 'x',
    configuration: { url: server.url, ...configuration },
  };
  return (await service.call('POST /api/v1/tools', { body })).body.id;
}
const test = async (id: string, parameters: object = {}) =>
  (await service.call(`POST /api/v1/tools/${id}/test`, { body: { parameters } })).body;

describe('the reference MCP server', () => {
  it('lists its tools and runs them', async () => {
    const id = await makeTool({ authorization: 'canary-token' });
    const offered = await test(id);
    expect(offered).toMatchObject({ success: true, execution_time_ms: expect.any(Number) });
    expect(offered.result.tools).toEqual(expect.arrayContaining(['echo', 'get-sum', 'get-tiny-image']));

    const echoed = await test(id, { tool: 'echo', arguments: { message: 'hello' } });
    expect(echoed).toMatchObject({ success: true, result: { text: 'Echo: hello' } });
    expect(echoed.resolved_request).toEqual({
      method: 'POST',
      url: server.url,
      headers: { 'content-type': 'application/json', authorization: '***' },
      body: expect.stringContaining('"hello"'),
    });
    expect((await test(id, { tool: 'get-sum', arguments: { a: 2, b: 3 } })).result.text).toContain('5');
    expect((await test(id, { tool: 'get-tiny-image' })).result.text).toMatch(
      /\[image, image\/png, \d+ bytes, not shown\]/,
    );
    const structured = await test(id, { tool: 'get-structured-content', arguments: { location: 'Chicago' } });
    expect(structured.result.structured_content).toMatchObject({ conditions: expect.any(String) });
    const blob = { tool: 'get-resource-reference', arguments: { resourceType: 'Blob', resourceId: 1 } };
    expect((await test(id, blob)).result.text).toContain('not shown');
  });

  it('reports what is wrong with a call', async () => {
    const id = await makeTool();
    const wrong = await test(id, { tool: 'get-sum', arguments: { a: 'x' } });
    expect(wrong).toMatchObject({ success: false, error: expect.stringMatching(/invalid/i) });
    expect(await test(id, { tool: 'fly' })).toMatchObject({
      success: false,
      error: expect.stringContaining('offers no fly'),
    });
    expect(await test(id, { surprise: 1 })).toMatchObject({
      success: false,
      error: expect.stringContaining('parameters.surprise'),
    });
    const narrow = await makeTool({ allowed_tools: ['echo'] });
    expect((await test(narrow)).result.tools).toEqual(['echo']);
    expect((await test(narrow, { tool: 'get-sum', arguments: { a: 1, b: 2 } })).success).toBe(false);
  });

  it('reports its progress', async () => {
    const lane = createGuardedLane({ allow: ['127.0.0.1'] });
    const sessions = createMcpSessions({ fetch: lane.fetch });
    const tool = {
      id: undefined,
      workspaceId: 'w',
      name: 'E',
      description: '',
      configuration: { url: server.url },
    };
    const signal = AbortSignal.timeout(patienceMs);
    const functions = await createMcp({ sessions }).functions(tool, signal);
    const long = functions.find(({ name }) => name === 'E_trigger-long-running-operation');
    const reported: string[] = [];
    const run = {
      workspaceId: 'w',
      botId: undefined,
      conversationId: undefined,
      signal,
      onProgress: (text: string) => void reported.push(text),
    };
    const result = await long?.run({ duration: 0.3, steps: 3 }, run);
    expect(result).toMatchObject({ status: 'ok' });
    expect(reported).toEqual(['1 of 3', '2 of 3', '3 of 3']);
    await sessions.close();
    await lane.close();
  });

  it('may be restarted in between', async () => {
    const id = await makeTool();
    const echo = () => test(id, { tool: 'echo', arguments: { message: 'again' } });
    expect((await echo()).success).toBe(true);
    await server.restart();
    expect(await echo()).toMatchObject({ success: true, result: { text: 'Echo: again' } });
    await server.stop();
    expect(await echo()).toMatchObject({
      success: false,
      error: expect.stringContaining('refused the connection'),
    });
    await server.restart();
    expect(await echo()).toMatchObject({ success: true });
  });
});
