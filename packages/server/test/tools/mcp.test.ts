import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callContext, type McpTrial, startMcpTrial } from '../support/mcp-client.ts';
import { type FakeMcpServer, sendEvent, sendQuestion } from '../support/mcp-server.ts';

let trial: McpTrial;
let server: FakeMcpServer;
beforeEach(async () => {
  trial = await startMcpTrial();
  server = trial.server;
});
afterEach(() => trial.stop());

const functions: McpTrial['functions'] = (configuration) => trial.functions(configuration);
const first: McpTrial['first'] = (configuration) => trial.first(configuration);
const count: McpTrial['count'] = (method) => trial.count(method);

describe("an MCP server's tools", () => {
  it('get valid, distinct names that never swap', async () => {
    const names = ['a.b', 'a_b', 'a b', 'a/b', 'ö', 'x'.repeat(100), `${'x'.repeat(100)}y`];
    server.tools = names.map((name) => ({ name }));
    const offered = await functions();
    for (const { name } of offered) expect(name).toMatch(/^Desk_[\w-]{1,59}$/);
    expect(new Set(offered.map(({ name }) => name)).size).toBe(names.length);
    expect(offered[1]?.name).toBe('Desk_a_b');

    server.onCall = ({ params }) => ({ content: [{ type: 'text', text: params?.name }] });
    const called = await Promise.all(offered.map((one) => one.run({}, callContext())));
    expect(called.map((result) => result.content)).toEqual(names);

    server.tools = server.tools.toReversed();
    server.announce('notifications/tools/list_changed');
    await expect.poll(async () => (await functions())[0]?.name).toBe(offered.at(-1)?.name);
  });

  it('are called with a key that lets the server recognise a repeat', async () => {
    const sent: unknown[] = [];
    server.onCall = ({ params }) => {
      sent.push(params);
      return { content: [] };
    };
    await (await first()).run({}, { ...callContext(), callId: 'call-1' });
    expect(sent).toMatchObject([{ _meta: { 'svc/idempotency-key': 'call-1' } }]);
  });

  it('with the same name count as one, as it was listed last', async () => {
    const schema = (name: string) => ({ type: 'object', properties: { [name]: { type: 'string' } } });
    const twins = ['early', 'late'].map((name) => ({ name: 'twin', inputSchema: schema(name) }));
    server.tools = [...twins, { name: 'other' }];
    const [twin, other, ...rest] = await functions();
    expect([twin?.parameters, other?.key, rest]).toEqual([schema('late'), 'other', []]);
    expect(await twin?.run({ late: 'x' }, callContext())).toMatchObject({ status: 'ok' });
  });

  it('that have become too large count as changed and are not called', async () => {
    server.tools = [{ name: 'echo', inputSchema: { type: 'object' } }];
    const echo = await first();
    const description = 'x'.repeat(100_000);
    server.tools = [{ name: 'echo', inputSchema: { type: 'object', description } }];
    server.forgetSessions();
    let calls = 0;
    server.onCall = () => {
      calls += 1;
      return { content: [] };
    };
    expect(await echo.run({}, callContext())).toMatchObject({ status: 'error' });
    expect(calls).toBe(0);
  });

  it('are read from all pages and limited to the allowed ones', async () => {
    server.tools = Array.from({ length: 25 }, (_, index) => ({ name: `tool${index}` }));
    server.pageSize = 10;
    expect(await functions()).toHaveLength(25);
    expect(count('tools/list')).toBe(3);
    const some = await functions({ allowed_tools: ['tool3', 'tool20', 'nothing'] });
    expect(some.map(({ name }) => name)).toEqual(['Desk_tool3', 'Desk_tool20']);
  });

  it('are limited in number and size', async () => {
    server.tools = [
      {
        name: 'a',
        description: 'd'.repeat(50_000),
        inputSchema: { type: 'object', title: 's'.repeat(70_000) },
      },
    ];
    const { description, parameters, unusable } = await first();
    expect(description.length).toBeLessThan(5_000);
    expect(parameters).toEqual({ type: 'object' });
    expect(unusable).toBe('its inputSchema is larger than 64 KB');
    server.tools = Array.from({ length: 100 }, (_, index) => ({ name: `tool${index}` }));
    server.pageSize = 1;
    server.announce('notifications/tools/list_changed');
    await expect.poll(async () => (await functions()).length).toBe(20);
  });

  it('are listed once until the server reports a change', async () => {
    await Promise.all([functions(), functions(), functions()]);
    await functions();
    expect([count('initialize'), count('tools/list')]).toEqual([1, 1]);
    server.tools.push({ name: 'new' });
    // The stream of notifications opens a moment after the session.
    await expect
      .poll(async () => {
        server.announce('notifications/tools/list_changed');
        return (await functions()).length;
      })
      .toBe(2);
    expect(count('initialize')).toBe(1);
  });

  it('are listed again when the configuration changes', async () => {
    await functions();
    await functions({ authorization: 'other' });
    expect(count('initialize')).toBe(2);
    expect(server.authorizations).toEqual(new Set([undefined, 'Bearer other']));
  });

  it('have the configured approval', async () => {
    expect((await first()).approval).toBe('always');
    expect((await first({ approval: 'never' })).approval).toBe('never');
    expect((await first({ approval: 'always' })).approval).toBe('always');
  });
});

describe('a call to an MCP server', () => {
  it('sends its authorization and never shows it', async () => {
    const secret = 'canary "7f3a91" +/ä';
    const configuration = { authorization: `Bearer ${secret}` };
    server.tools = [{ name: 'echo', description: `You sent ${secret}` }];
    server.onCall = (_message, _response, request) => ({
      content: [{ type: 'text', text: `Hello ${request.headers.authorization}` }],
      structuredContent: { [secret]: [secret] },
    });
    // A header contains bytes, so characters beyond Latin-1 could not be sent.
    const echo = await first({ authorization: 'Bearer canary-7f3a91' });
    expect(server.authorizations).toEqual(new Set(['Bearer canary-7f3a91']));
    const result = await echo.run({}, callContext());
    expect(result.content).toMatch(/^Hello \*\*\*\n\n\{/);
    expect(JSON.stringify([echo, result])).not.toContain('canary-7f3a91');

    server.onCall = () => ({
      content: [{ type: 'text', text: configuration.authorization }],
      structuredContent: { [secret]: 1 },
    });
    const other = await first({ authorization: 'Bearer canary "7f3a91" +/' });
    expect(other.description).not.toContain('7f3a91');
    expect(JSON.stringify(await other.run({}, callContext()))).not.toContain('7f3a91');
  });

  it('turns every kind of content into text, and a failure into an error', async () => {
    const blob = Buffer.from('0123456789').toString('base64');
    server.onCall = () => ({
      content: [
        { type: 'text', text: 'Look:' },
        { type: 'image', data: blob, mimeType: 'image/png' },
        { type: 'audio', data: blob, mimeType: 'audio/wav' },
        { type: 'resource_link', uri: 'file:///a', name: 'a' },
        { type: 'resource', resource: { uri: 'file:///t', text: 'inside' } },
        { type: 'resource', resource: { uri: 'file:///b', blob } },
      ],
    });
    const echo = await first();
    const result = await echo.run({}, callContext());
    expect(result.status).toBe('ok');
    expect(result.content.split('\n\n')).toEqual([
      'Look:',
      '[image, image/png, 10 bytes, not shown]',
      '[audio, audio/wav, 10 bytes, not shown]',
      '[link to a: file:///a]',
      'file:///t\ninside',
      '[file file:///b, unknown type, 10 bytes, not shown]',
    ]);
    server.onCall = () => ({ content: [], structuredContent: { sum: 3 } });
    expect(await echo.run({}, callContext())).toMatchObject({
      content: '{"sum":3}',
      result: { structured_content: { sum: 3 } },
    });
    server.onCall = () => ({ content: [{ type: 'text', text: 'No.' }], isError: true });
    expect(await echo.run({}, callContext())).toMatchObject({ status: 'error', content: 'No.' });
    server.onCall = () => ({ content: [{ type: 'text', text: 'ä'.repeat(100_000) }] });
    const long = await echo.run({}, callContext());
    expect(Buffer.byteLength(long.content)).toBeLessThan(51_000);
    expect(long.content).toMatch(/ä\n\[cut here/);
  });

  it('shows pictures to models that see, if they are pictures', async () => {
    const png = Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1').toString('base64');
    const text = Buffer.from('no picture').toString('base64');
    server.onCall = () => ({
      content: [png, text, png].map((data) => ({ type: 'image', data, mimeType: 'image/jpeg' })),
    });
    const echo = await first();
    const { images, content } = await echo.run({}, { ...callContext(), seesImages: true });
    expect(images?.map((image) => image.dataUrl())).toEqual(Array(2).fill(`data:image/png;base64,${png}`));
    expect(content.split('\n\n')).toEqual([
      '[image, image/jpeg, 12 bytes]',
      '[image, image/jpeg, 10 bytes, not shown]',
      '[image, image/jpeg, 12 bytes]',
    ]);
    expect(await echo.run({}, callContext())).not.toHaveProperty('images');
  });

  it('shows no pictures of a failure', async () => {
    const data = Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1').toString('base64');
    server.onCall = () => ({ content: [{ type: 'image', data, mimeType: 'image/png' }], isError: true });
    const result = await (await first()).run({}, { ...callContext(), seesImages: true });
    expect(result).toMatchObject({ status: 'error', content: '[image, image/png, 12 bytes, not shown]' });
    expect(result).not.toHaveProperty('images');
  });

  it('shows pictures only as long as all of a result are not too large', async () => {
    const large = Buffer.alloc(3_000_000);
    large.write('\x89PNG\r\n\x1a\n', 'latin1');
    const data = large.toString('base64');
    server.onCall = () => ({
      content: [1, 2, 3].map(() => ({ type: 'image', data, mimeType: 'image/png' })),
    });
    const { images } = await (await first()).run({}, { ...callContext(), seesImages: true });
    expect(images).toHaveLength(2);
  });

  it('continues once in a new session when the server forgot the old one', async () => {
    const echo = await first();
    await echo.run({ a: 1 }, callContext());
    server.forgetSessions();
    const results = await Promise.all([2, 3, 4].map((a) => echo.run({ a }, callContext())));
    expect(results.map((result) => result.content)).toEqual(['{"a":2}', '{"a":3}', '{"a":4}']);

    server.intercept = ({ method }, response) => {
      if (method !== 'tools/call') return false;
      response.writeHead(404).end();
      return true;
    };
    const before = count('tools/call');
    expect(await echo.run({}, callContext())).toMatchObject({ status: 'error' });
    expect(count('tools/call') - before).toBe(2);
  });

  it('is never sent again when the connection broke, because it may have been executed', async () => {
    const echo = await first();
    const endings: FakeMcpServer['onCall'][] = [
      (_message, response) => void response.socket?.destroy(),
      (_message, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
        setTimeout(() => response.socket?.destroy(), 50);
      },
      (_message, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        sendEvent(response, {
          jsonrpc: '2.0',
          method: 'notifications/message',
          params: { level: 'info', data: 1 },
        });
        response.end();
      },
    ];
    for (const ending of endings) {
      server.onCall = ending;
      const before = count('tools/call');
      const result = await echo.run({}, callContext());
      expect(result).toMatchObject({
        status: 'error',
        content: expect.stringContaining('closed the connection'),
      });
      expect(count('tools/call') - before).toBe(1);
    }
    server.onCall = () => ({ content: [{ type: 'text', text: 'Back.' }] });
    expect((await echo.run({}, callContext())).content).toBe('Back.');
  });

  it('is never sent again when the session is lost after its task began', async () => {
    server.tools = [{ name: 'work', execution: { taskSupport: 'required' } }];
    const work = await first();
    server.onCall = () => {
      server.forgetSessions();
      return { task: { taskId: 't1', status: 'working', pollInterval: 1 } };
    };
    expect(await work.run({}, callContext())).toMatchObject({
      status: 'error',
      content: expect.stringContaining('not known whether its task was carried out'),
    });
    expect([count('tools/call'), count('tasks/get')]).toEqual([1, 1]);
  });

  it('stops when it is aborted, and the server is notified', async () => {
    const echo = await first();
    server.onCall = (_message, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    };
    const stopping = new AbortController();
    setTimeout(() => stopping.abort(new Error('stopped by somebody')), 100);
    await expect(echo.run({}, callContext(stopping.signal))).rejects.toThrow('stopped by somebody');
    await expect.poll(() => count('notifications/cancelled')).toBe(1);
    await expect(echo.run({}, callContext(AbortSignal.abort(new Error('too late'))))).rejects.toThrow(
      'too late',
    );
  });

  it.each([
    ['cancels its task', 200, 0],
    ['logs that its task could not be cancelled', 500, 1],
  ])('%s when it is aborted', async (_name, status, warnings) => {
    server.tools = [{ name: 'work', execution: { taskSupport: 'required' } }];
    const work = await first();
    const cancelled: unknown[] = [];
    const task = { taskId: 't1', status: 'working', pollInterval: 1 };
    server.onCall = () => ({ task });
    server.intercept = ({ method, id, params }, response) => {
      if (!method.startsWith('tasks/')) return false;
      const isCancel = method === 'tasks/cancel';
      if (isCancel) cancelled.push(params);
      response.writeHead(isCancel ? status : 200, { 'content-type': 'application/json' });
      return !!response.end(JSON.stringify({ jsonrpc: '2.0', id, result: task }));
    };
    const stopping = new AbortController();
    const run = work.run({}, callContext(stopping.signal));
    await expect.poll(() => count('tasks/get')).toBe(1);
    stopping.abort(new Error('stopped'));
    await expect(run).rejects.toThrow('stopped');
    await expect.poll(() => cancelled).toEqual([{ taskId: 't1' }]);
    await expect.poll(() => trial.logged.length).toBe(warnings);
    for (const line of trial.logged) expect(line).toContain('could not be cancelled');
  });

  it('sends no cancellation when its signal is aborted after its end', async () => {
    const echo = await first();
    const later = new AbortController();
    await echo.run({}, callContext(later.signal));
    later.abort();
    await delay(50);
    expect(count('notifications/cancelled')).toBe(0);
  });

  it('passes on progress', async () => {
    const echo = await first();
    server.onCall = ({ id, params }, response) => {
      const { progressToken } = Object(params?.['_meta']) as { progressToken: number };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const progress of [
        { progress: 1, total: 2 },
        { progress: 2, message: 'Nearly there' },
        { progress: 3 },
      ])
        sendEvent(response, {
          jsonrpc: '2.0',
          method: 'notifications/progress',
          params: { progressToken, ...progress },
        });
      sendEvent(response, { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'Done.' }] } });
      response.end();
    };
    const told: string[] = [];
    const result = await echo.run({}, { ...callContext(), onProgress: (text) => void told.push(text) });
    expect(result.content).toBe('Done.');
    expect(told).toEqual(['1 of 2', 'Nearly there', '3']);
  });
});

describe('what an MCP server asks a person', () => {
  const actionOf = (id: string) => server.answers.get(id)?.result?.action;

  it('is one question at a time, and ten in a call', async () => {
    const echo = await first();
    server.onCall = async ({ id }, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      sendQuestion(response, '1');
      sendQuestion(response, 'meanwhile');
      await expect.poll(() => server.answers.size).toBe(2);
      for (let number = 2; number <= 11; number += 1) {
        sendQuestion(response, String(number));
        await expect.poll(() => server.answers.size).toBe(number + 1);
      }
      sendEvent(response, { jsonrpc: '2.0', id, result: { content: [] } });
      response.end();
    };
    let asked = 0;
    const ask = async () => {
      asked += 1;
      await expect.poll(() => actionOf('meanwhile')).toBe('cancel');
      return { action: 'accept' as const, content: { name: 'Ada' } };
    };
    expect(await echo.run({}, { ...callContext(), ask })).toMatchObject({ status: 'ok' });
    expect([asked, actionOf('1'), actionOf('10'), actionOf('11')]).toEqual([
      10,
      'accept',
      'accept',
      'cancel',
    ]);
  });

  it("over the session's own stream reaches a call only if there was no other lately", async () => {
    const echo = await first();
    await expect.poll(() => server.listeners.size).toBe(1);
    const [stream] = server.listeners;
    server.onCall = async ({ params }) => {
      const id = String(params?.arguments?.['id']);
      if (stream) sendQuestion(stream, id);
      await expect.poll(() => actionOf(id)).toBeDefined();
      return { content: [] };
    };
    const asked: string[] = [];
    const ask = async ({ message }: { message: string }) => {
      asked.push(message);
      return { action: 'accept' as const, content: { name: 'Ada' } };
    };
    await echo.run({ id: 'own' }, { ...callContext(), ask });
    await echo.run({ id: 'late' }, { ...callContext(), ask });
    expect([actionOf('own'), actionOf('late')]).toEqual(['accept', 'cancel']);
    expect(asked).toEqual([expect.stringContaining('Who is own?')]);
  });
});
