import { statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hang, status, text, tokens } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { type ChatProcess, configFolder, startChat } from './chat-process.ts';
import { startCuttingProxy } from './cutting-proxy.ts';

/** Every chat is a process of its own. */
let model: ScriptedModel;
let service: TestApp;
let botId: string;
beforeAll(async () => {
  model = await startScriptedModel();
  service = await startTestApp({
    environment: { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: model.url('openai') },
  });
  botId = await makeBot('Support');
});
afterAll(async () => {
  await service.stop();
  await model.close();
});
beforeEach(() => model.reset());

async function makeBot(name: string): Promise<string> {
  const body = { name, system_prompt: 'You help.', model: 'openai/gpt-5-mini' };
  return (await service.call('POST /api/v1/bots', { body })).body.id;
}

/** Runs a chat with all lines piped in, to the end. */
async function pipe(lines: string[], args: string[] = ['Support'], environment: Record<string, string> = {}) {
  const chat = start(args, environment);
  chat.type(lines.map((line) => `${line}\n`).join(''));
  chat.endInput();
  return { code: await chat.ended, stdout: chat.stdout(), stderr: chat.stderr() };
}

function start(args: string[], environment: Record<string, string> = {}, inTerminal = false): ChatProcess {
  const all = args.includes('--url') ? args : [...args, '--url', service.url];
  return startChat({ args: all, environment: { SVC_API_KEY: service.key, ...environment }, inTerminal });
}

function conversationIn(stderr: string): string {
  return /--conversation (\S+)/.exec(stderr)?.[1] ?? '';
}

async function readConversation(id: string) {
  return (await service.call(`GET /api/v1/conversations/${id}`)).body;
}

describe('through a pipe', () => {
  it('sends every line and prints the replies alone', async () => {
    model.enqueue([text('Hello, who are you?')], [text('Nice to meet you,\nAda.')]);
    const { code, stdout, stderr } = await pipe(['Hi', '', 'Ada'], ['Support', '--user', 'ada', '--new']);
    expect({ code, stdout }, stderr).toEqual({
      code: 0,
      stdout: 'Hello, who are you?\nNice to meet you,\nAda.\n',
    });
    expect(stderr).toMatch(/^To continue: svc chat Support --user ada --conversation [\w-]{36}\n$/);
    const { messages, external_user_id: user } = await readConversation(conversationIn(stderr));
    expect(user).toBe('ada');
    expect(messages.map(({ content }: { content: string }) => content)).toEqual([
      'Hi',
      'Hello, who are you?',
      'Ada',
      'Nice to meet you,\nAda.',
    ]);
  });

  it('continues a conversation, and starts new ones', async () => {
    model.respondWith([text('Yes.')]);
    const talk = async (lines: string[], ...args: string[]) =>
      conversationIn((await pipe(lines, [botId, '--user', 'bob', ...args])).stderr);
    const first = await talk(['One']);
    const same = await talk(['Two'], '--conversation', first);
    const other = await talk(['Three', '/new', '//help']);
    expect(same).toBe(first);
    expect(other).not.toBe(first);
    const asked = async (id: string) =>
      (await readConversation(id)).messages
        .filter(({ role }: { role: string }) => role === 'user')
        .map(({ content }: { content: string }) => content);
    expect(await asked(first)).toEqual(['One', 'Two', 'Three']);
    expect(await asked(other)).toEqual(['/help']);
  });

  it('continues after a failed turn, and exits with an error code', async () => {
    model.enqueue([status(401)], [text('Better.')]);
    const { code, stdout, stderr } = await pipe(['One', 'Two'], ['Support', '--new']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'Better.\n' });
    expect(stderr).toMatch(/^.* did not accept the API key .*\(MODEL_REJECTED, request [\w-]+\)$/m);
  });

  it('lists its commands, and rejects others', async () => {
    const { code, stdout, stderr } = await pipe(['/help', '/nwe', '/exit', 'not sent']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^\/new +start a new conversation$/m);
    expect(stderr).toContain('There is no command /nwe');
    expect(model.requests).toEqual([]);
  });

  it('takes the last message back, shows the model, and says what it cannot do', async () => {
    model.enqueue([text('One.')], [text('Two.')], [text('Three.')]);
    const lines = ['/undo', 'First', 'Second', '/undo', 'Third', '/diff', '/approve', '/allowed', '/model'];
    const { code, stdout, stderr } = await pipe(lines, ['Support', '--new', '--user', 'undoer']);
    // There was no conversation for the first of them.
    expect({ code, stdout }, stderr).toEqual({ code: 1, stdout: 'One.\nTwo.\nThree.\n' });
    expect(stderr.split('\n').slice(0, 6)).toEqual([
      'There is no conversation yet: send a message first.',
      'Undone: 2 messages removed.',
      'No files were changed in this conversation.',
      'Nothing waits for approval in this conversation.',
      expect.stringMatching(/^Nothing was allowed without asking in this conversation\. The console lists /),
      'Support uses openai/gpt-5-mini.',
    ]);
    const { messages } = await readConversation(conversationIn(stderr));
    const contents = messages.map(({ content }: { content: string }) => content);
    expect(contents).toEqual(['First', 'One.', 'Third', 'Three.']);
  });

  it('changes the model of the bot, and sends what only looks like a command', async () => {
    model.respondWith([text('Yes.')]);
    const bot = await makeBot('Changing');
    const lines = ['/model openai/gpt-5', '/model nonsense', '/etc/hosts is empty'];
    const { code, stderr } = await pipe(lines, [bot, '--new']);
    expect(code).toBe(1);
    expect(stderr).toContain('Changing now uses openai/gpt-5.');
    expect(stderr).toMatch(/model .*\(VALIDATION_FAILED, request/);
    const { messages } = await readConversation(conversationIn(stderr));
    expect(messages[0].content).toBe('/etc/hosts is empty');
    expect(model.requests.at(-1)?.body['model']).toBe('gpt-5');
  });

  it('stops the turn on SIGINT and exits', async () => {
    model.enqueue([text('So far so good'), hang]);
    const chat = start(['Support', '--new']);
    chat.type('Hi\nnot sent\n');
    await chat.shows('good');
    chat.signal('SIGINT');
    expect(await chat.ended, chat.stderr()).toBe(130);
    expect(chat.stdout()).toBe('So far so good\n');
    expect(chat.stderr()).toContain('The reply was stopped.');
    expect(await model.requests[0]?.closedEarly).toBe(true);
    const conversation = await readConversation(conversationIn(chat.stderr()));
    expect(conversation).toMatchObject({ status: 'idle', messages: [{}, { interrupted: true }] });
  });

  it('does not wait after a second SIGINT', async () => {
    const proxy = await startCuttingProxy(service.url, [0, 0, 0, 0, 0, 0, 0, 0]);
    model.respondWith([text('Never seen')]);
    const chat = start(['Support', '--new', '--url', proxy.url]);
    chat.type('Hi\n');
    await chat.shows('Trying again');
    chat.signal('SIGINT');
    await chat.shows('press Ctrl-C again to leave');
    chat.signal('SIGINT');
    expect(await chat.ended, chat.stderr()).toBe(130);
    await proxy.close();
  });
});

describe('when the connection breaks', () => {
  it.each([
    ['before the first event', [0]],
    ['in the middle of an event', [1_500]],
    ['again and again', [0, 700, 40, 900]],
  ])('%s, it shows the whole reply once', async (_when, cutAfter) => {
    const proxy = await startCuttingProxy(service.url, cutAfter);
    model.enqueue([tokens(100, 15)]);
    const { code, stdout, stderr } = await pipe(['Go'], ['Support', '--new', '--url', proxy.url]);
    expect(proxy.cuts()).toBe(cutAfter.length);
    expect(stderr).toContain('Trying again in 0.25 s');
    expect(stderr).toContain('Connected again.');
    const { messages } = await readConversation(conversationIn(stderr));
    expect(messages).toHaveLength(2);
    expect({ code, stdout: stdout.trim() }, stderr).toEqual({ code: 0, stdout: messages[1].content.trim() });
    expect(messages[1].content).toContain('token99');
    expect(model.requests).toHaveLength(1);
    await proxy.close();
  });
});

describe('in a terminal', () => {
  it('stops a reply on Ctrl-C, returns to the prompt, and exits on Ctrl-D', async () => {
    model.enqueue([text('So far'), hang], [text('A second \u001B[31mreply')]);
    const chat = start(['Support', '--new'], {}, true);
    await chat.shows('you> ');
    chat.type('Hi\r');
    await chat.shows('So far');
    chat.type('\u0003');
    await chat.shows('The reply was stopped.');
    chat.type('Again\r');
    await chat.shows('A second');
    // The model's text cannot control the terminal.
    await chat.shows('[31mreply');
    expect(chat.stdout()).not.toContain('\u001B[31m');
    chat.type('\u0004');
    expect(await chat.ended, chat.stdout()).toBe(0);
    expect(chat.stdout()).toContain('--conversation ');
  });

  it('shows what was typed in an earlier chat on arrow up, from a file for its owner alone', async () => {
    model.respondWith([text('Fine.')]);
    const first = start(['Support', '--new'], {}, true);
    await first.shows('you> ');
    first.type('A rare question\r');
    await first.shows('Fine.');
    first.type('\u0004');
    await first.ended;
    expect(statSync(join(configFolder, 'svc', 'chat-history')).mode & 0o777).toBe(0o600);
    const second = start(['Support', '--new'], {}, true);
    await second.shows('you> ');
    second.type('\u001B[A');
    await second.shows('A rare question');
    second.type('\u0015\u0004');
    await second.ended;
  });

  it('says what it is doing while nothing else is shown', async () => {
    model.enqueue([hang]);
    const chat = start(['Support', '--new'], {}, true);
    await chat.shows('you> ');
    chat.type('Hi\r');
    await chat.shows('⠙ thinking');
    chat.type('\u0003');
    await chat.shows('The reply was stopped.');
    chat.type('\u0004');
    expect(await chat.ended, chat.stdout()).toBe(0);
  });

  it('exits on Ctrl-C at the prompt', async () => {
    const chat = start(['Support'], {}, true);
    await chat.shows('you> ');
    chat.type('\u0003');
    expect(await chat.ended, chat.stdout()).toBe(0);
  });
});

describe('an error is one line', () => {
  const id = '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90';
  it.each([
    ['an unknown name', ['Nobody'], {}, 'There is no bot named "Nobody". There are: Support'],
    ['an unknown id', [id], {}, `There is no bot with the id ${id}.`],
    ['a wrong key', ['Support', '--key', `svc_sk_${'x'.repeat(43)}`], {}, '(UNAUTHORIZED, request '],
    ['no key', ['Support'], { SVC_API_KEY: '' }, 'A key is needed: set SVC_API_KEY'],
    [
      'nobody there',
      ['Support', '--url', 'http://127.0.0.1:1'],
      {},
      'cannot be reached at http://127.0.0.1:1 (',
    ],
    ['no address', ['Support', '--url', 'svc.example.com'], {}, 'Give an address such as'],
    ['new and old', ['Support', '--new', '--conversation', id], {}, 'not both'],
  ])('%s', async (_what, args, environment, complaint) => {
    const { code, stdout, stderr } = await pipe(['Hi'], args, environment);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(complaint);
    expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(2);
  });

  it('a conversation that is not there', async () => {
    const { code, stderr } = await pipe(['Hi'], ['Support', '--conversation', id]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/\(NOT_FOUND, request [\w-]+\)/);
  });

  it('a message that is too long, with the field', async () => {
    const { code, stderr } = await pipe(['x'.repeat(32_001)]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/message .*\(VALIDATION_FAILED, request [\w-]+\)/);
  });

  it('a name that two bots have', async () => {
    const ids = [await makeBot('Twin'), await makeBot('Twin')];
    const { code, stderr } = await pipe(['Hi'], ['Twin']);
    expect(code).toBe(1);
    for (const twin of ids) expect(stderr).toContain(twin);
  });
});

/** A stub that sends the events of tools and approvals. */
describe('tools and approvals', () => {
  const call = {
    tool_call_id: 't',
    tool_name: 'lookup',
    tool_type: 'http_request',
    arguments: { order: 17 },
  };
  const approval = { id: 'approval-1', tool_name: 'refund', arguments: { usd: 5 }, status: 'pending' };

  async function talkTo(events: [string, object][]) {
    const server = createServer((request, response) => {
      if (request.method === 'GET') {
        response.setHeader('content-type', 'application/json');
        return response.end(JSON.stringify([{ id: botId, name: 'Support', status: 'active' }]));
      }
      response.setHeader('content-type', 'text/event-stream');
      const frames = events.map(
        ([type, data], index) => `id: ${index + 1}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`,
      );
      return response.end(frames.join(''));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const result = await pipe(['Hi', 'more'], ['Support', '--url', `http://127.0.0.1:${port}`]);
    server.closeAllConnections();
    server.close();
    return result;
  }

  it('shows what ran, with what result, and what it waits for', async () => {
    const { code, stdout, stderr } = await talkTo([
      ['turn.started', { turn_id: 'u', conversation_id: 'c', user_message: { id: 'q', tool_calls: [] } }],
      ['message.delta', { message_id: 'm', offset: 0, text: 'One moment.' }],
      ['tool.started', call],
      ['tool.progress', { tool_call_id: 't', text: 'half way' }],
      ['tool.completed', { tool_call_id: 't', status: 'ok', result: 'big', duration_ms: 1234 }],
      ['tool.started', { ...call, tool_call_id: 's', arguments: { text: 'x'.repeat(500) } }],
      ['tool.completed', { tool_call_id: 's', status: 'error', result: 'no such\norder', duration_ms: 20 }],
      ['approval.requested', { approval }],
      ['turn.paused', { turn_id: 'u', approval_ids: ['approval-1'] }],
    ]);
    expect({ code, stdout }, stderr).toEqual({ code: 3, stdout: 'One moment.\n' });
    expect(stderr.split('\n').slice(0, 7)).toEqual([
      '→ lookup {"order":17}',
      '  lookup: half way',
      '← lookup ok, 1.2 s',
      `→ lookup {"text":"${'x'.repeat(90)}…`.slice(0, 109),
      '← lookup error, 0.0 s: no such order',
      '? refund {"usd":5} needs approval (approval-1).',
      'The turn waits for approval: answer it in the console or with POST /api/v1/hitl/{id}/respond.',
    ]);
  });
});
