import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { holdingOf } from '../support/event-loop.ts';
import { callContext, type McpTrial, startMcpTrial } from '../support/mcp-client.ts';
import { type FakeMcpServer, startFakeMcpServer } from '../support/mcp-server.ts';

let trial: McpTrial;
let server: FakeMcpServer;
beforeEach(async () => {
  trial = await startMcpTrial();
  server = trial.server;
});
afterEach(() => trial.stop());

const functions: McpTrial['functions'] = (configuration) => trial.functions(configuration);
const first: McpTrial['first'] = (configuration) => trial.first(configuration);

describe('an MCP server that cannot be used', () => {
  it.each<[string, FakeMcpServer['intercept'], string]>([
    [
      'refuses the key',
      (_message, response) => !!response.writeHead(401).end('no'),
      'did not accept the authorization',
    ],
    [
      'is not there',
      (_message, response) => !!response.writeHead(404).end(),
      'no MCP server at this address',
    ],
    ['fails', (_message, response) => !!response.writeHead(500).end('stack trace'), 'status 500'],
    [
      'speaks HTML',
      (_message, response) => !!response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
      'not MCP',
    ],
    [
      'speaks nonsense',
      (_message, response) => !!response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
      'not MCP',
    ],
    ['hangs up', (_message, response) => !!response.socket?.destroy(), 'closed the connection'],
    [
      'returns an error of its own',
      ({ id }, response) =>
        !!response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_603, message: 'Out of paper' } })),
      'refused: Out of paper',
    ],
  ])('because it %s is reported in one sentence', async (_name, intercept, sentence) => {
    server.intercept = intercept;
    const failure = await functions().catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'UPSTREAM_FAILED', message: expect.stringContaining(sentence) });
    server.intercept = () => false;
    expect(await functions()).toHaveLength(1);
  });

  it('because it sends too much is cut off', async () => {
    const echo = await first();
    server.onCall = (_message, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const piece = `data: ${'x'.repeat(1024 * 1024)}\n`;
      const more = () => {
        while (response.write(piece));
      };
      response.on('drain', more).on('error', () => undefined);
      more();
    };
    expect(await echo.run({}, callContext())).toMatchObject({ status: 'error' });
  });

  it.each<[string, string, string]>([
    ['many', `{"tools":[${'{},'.repeat(400_000)}{}]}`, 'too long'],
    ['a few thousand', `{"tools":[${'{},'.repeat(12_000)}{}]}`, 'not MCP'],
    ['one', '{"tools":[{"name":"echo","inputSchema":{"type":"array"}}]}', 'not MCP'],
    ['no', '{"tools":"none"}', 'not MCP'],
  ])(
    'because it lists %s invalid tools is reported and delays no one else',
    async (_name, list, sentence) => {
      server.intercept = ({ method, id }, response) => {
        if (method !== 'tools/list') return false;
        response.writeHead(200, { 'content-type': 'application/json' });
        return !!response.end(`{"jsonrpc":"2.0","id":${id},"result":${list}}`);
      };
      const { heldMs, result } = await holdingOf(() => functions().catch((error: unknown) => error));
      expect(result).toMatchObject({ code: 'UPSTREAM_FAILED', message: expect.stringContaining(sentence) });
      expect(heldMs).toBeLessThan(200);
    },
  );

  it.each([
    ['many', 400_000, 'closed the connection'],
    ['a few thousand', 12_000, 'not MCP'],
  ])('because it answers a call with %s invalid blocks is reported', async (_name, count, sentence) => {
    const echo = await first();
    server.onCall = ({ id }, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const content = `${'{},'.repeat(count)}{}`;
      response.end(`data: {"jsonrpc":"2.0","id":${id},"result":{"content":[${content}]}}\n\n`);
    };
    const { heldMs, result } = await holdingOf(() => echo.run({}, callContext()));
    expect(result).toMatchObject({ status: 'error', content: expect.stringContaining(sentence) });
    expect(heldMs).toBeLessThan(200);
  });

  it('because it is in a private network is not contacted', async () => {
    const closed = await startMcpTrial({ allow: [] });
    const failure = await closed.functions().catch((error: unknown) => error);
    const message = expect.stringContaining('not a public address');
    expect(failure).toMatchObject({ code: 'UPSTREAM_FAILED', message });
    expect(closed.server.asked).toEqual([]);
    await closed.stop();
  });

  it('because it redirects elsewhere is not followed with the key', async () => {
    const elsewhere = await startFakeMcpServer();
    server.intercept = (_message, response) => !!response.writeHead(307, { location: elsewhere.url }).end();
    await expect(functions({ authorization: 'canary' })).rejects.toThrow();
    expect([...elsewhere.authorizations]).not.toContain('Bearer canary');
    await elsewhere.stop();
  });
});
