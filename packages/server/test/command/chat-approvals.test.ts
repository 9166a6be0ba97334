import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { text, toolCalls } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { scriptedEnvironment } from '../support/chat.ts';
import { makeCodingBot } from '../support/coding-bot.ts';
import { type RefundBot, refund, refundDesk, type Shop, startShop } from '../support/refund-shop.ts';
import { pairScripted, usualOutcome } from '../support/scripted-machine.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { type ChatProcess, startChat } from './chat-process.ts';

/** Every chat is a process of its own. */
let scripted: ScriptedModel;
let service: TestApp;
let shop: Shop;
let bot: RefundBot;
let folder: string;
const desk = refundDesk(
  () => service,
  () => shop,
  () => scripted,
);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-editor-'));
  scripted = await startScriptedModel();
  shop = await startShop();
  service = await startTestApp({
    environment: { ...scriptedEnvironment(scripted), SVC_EGRESS_ALLOW: '127.0.0.1' },
  });
  bot = await desk.makeBot({ name: 'Support' });
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
  shop.close();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  scripted.reset();
  shop.refunds.length = 0;
  for (const { id } of await pending()) await desk.respond(id, { action: 'deny' });
});

const pending = async (): Promise<{ id: string }[]> => (await service.call('GET /api/v1/hitl')).body;
const refunded = () => shop.refunds.map((one) => one.refund);
const toldModel = () => JSON.stringify(scripted.requests.at(-1)?.body['messages']);

function propose(...refunds: object[]): void {
  proposeCalls(refunds.map((given) => ({ name: 'refund', arguments: given })));
}

/** The answer depends on the conversation alone, because a turn of another test may still be running. */
function proposeCalls(calls: { name: string; arguments: object }[]): void {
  scripted.respondWith(({ body }) => {
    const messages = body['messages'] as { role: string; content: string }[];
    if (messages.at(-1)?.content === 'Thanks.') return [text('Good bye.')];
    return messages.some(({ role }) => role === 'tool') ? [text('Done as you wished.')] : [toolCalls(calls)];
  });
}

function start(environment: Record<string, string> = {}, inTerminal = true): ChatProcess {
  const args = [bot.botId, '--new', '--url', service.url];
  return startChat({ args, environment: { SVC_API_KEY: service.key, ...environment }, inTerminal });
}

/** Sends a message and returns the question. */
async function askedIn(chat: ChatProcess): Promise<ChatProcess> {
  await chat.shows('you> ');
  chat.type('Please refund order 17.\r');
  await chat.shows('eny (Ctrl-C: later)> ');
  return chat;
}

/** After an answer the chat continues as usual and exits with 0. */
async function continues(chat: ChatProcess): Promise<void> {
  await chat.shows('Done as you wished.');
  chat.type('Thanks.\r');
  await chat.shows('Good bye.');
  chat.type('\u0004');
  expect(await chat.ended, chat.stdout()).toBe(0);
}

describe('a call that waits for approval, in a terminal', () => {
  it('is shown and runs when it is approved', async () => {
    propose(refund);
    const chat = await askedIn(start());
    expect(chat.stdout()).toContain('Support asks: may it call refund? (23 hours left to answer)');
    expect(chat.stdout()).toContain(`│ POST ${shop.url}/refunds`);
    expect(chat.stdout()).toContain('│   "amount": 12.5');
    expect(refunded()).toEqual([]);
    chat.type('yes\r');
    await chat.shows('Type a, e or d.');
    chat.type('a\r');
    await continues(chat);
    expect(refunded()).toEqual([refund]);
  });

  it('is denied with a reason', async () => {
    propose(refund);
    const chat = await askedIn(start());
    chat.type('d\r');
    await chat.shows('Why?');
    chat.type('Too much.\r');
    await chat.shows('The approval of refund: denied (Too much.).');
    await continues(chat);
    expect(refunded()).toEqual([]);
  });

  it('is changed in the editor, and again when the service rejects the change', async () => {
    const contents = ['{"order": 17, "amount": 500}', '{"order": 17', '{"order": 17, "amount": 5}'];
    for (const [index, content] of contents.entries()) await writeFile(join(folder, `${index + 1}`), content);
    const script = join(folder, 'editor.sh');
    const seen = join(folder, 'seen');
    const lines = [
      `echo x >> '${folder}/count'`,
      `cp "$2" '${seen}'."$(wc -l < '${folder}/count' | tr -d ' ')"`,
      `cat '${folder}'/"$(wc -l < '${folder}/count' | tr -d ' ')" > "$2"`,
    ];
    await writeFile(script, `${lines.join('\n')}\n`);
    propose(refund);
    const chat = await askedIn(start({ VISUAL: `sh ${script} --wait`, EDITOR: 'false' }));
    chat.type('e\r');
    await chat.shows('edited_args.amount');
    await chat.shows('Enter edits it again');
    chat.type('\r');
    await chat.shows('That is not a JSON object.');
    chat.type('\r');
    await chat.shows('approved, edited');
    await continues(chat);
    expect(refunded()).toEqual([{ order: 17, amount: 5 }]);
    // The earlier input is there again.
    expect(JSON.parse(await readFile(`${seen}.1`, 'utf8'))).toEqual(refund);
    expect(await readFile(`${seen}.2`, 'utf8')).toBe(contents[0]);
    expect(await readFile(`${seen}.3`, 'utf8')).toBe(contents[1]);
  });

  it('prints nothing while the editor is open, and all of it afterwards', async () => {
    const script = join(folder, 'slow-editor.sh');
    const [opened, release] = [join(folder, 'opened'), join(folder, 'release')];
    const lines = [
      `touch '${opened}'`,
      `until [ -e '${release}' ]; do sleep 0.05; done`,
      'echo editor is closed',
    ];
    await writeFile(script, `${lines.join('\n')}\n`);
    propose(refund);
    const chat = await askedIn(start({ VISUAL: `sh ${script}` }));
    chat.type('e\r');
    await expect.poll(() => existsSync(opened)).toBe(true);
    const [approval] = await pending();
    const conversations = () =>
      service.database.acrossWorkspaces.raw("select 1 from turns where status = 'paused'");
    await desk.respond(approval?.id ?? '', { action: 'deny', text: 'Elsewhere.' });
    await expect.poll(async () => (await conversations()).rows.length).toBe(0);
    await expect.poll(() => scripted.requests.length).toBe(2);
    await writeFile(release, '');
    await continues(chat);
    const shown = chat.stdout();
    const closed = shown.indexOf('editor is closed');
    expect(closed).toBeGreaterThan(0);
    expect(shown.indexOf('denied (Elsewhere.)')).toBeGreaterThan(closed);
  });

  it('is asked about again when the editor fails, or nothing was changed', async () => {
    propose(refund);
    const chat = await askedIn(start({ EDITOR: 'false' }));
    chat.type('e\r');
    await chat.shows('set VISUAL or EDITOR');
    chat.type('a\r');
    await continues(chat);
    propose(refund);
    const other = await askedIn(start({ EDITOR: 'true' }));
    other.type('e\r');
    await other.shows('Nothing was changed.');
    other.type('d\r');
    await other.shows('Why?');
    other.type('\r');
    await continues(other);
  });

  it('is asked about one after another when there are several', async () => {
    propose({ order: 1, amount: 1 }, { order: 2, amount: 2 });
    const chat = await askedIn(start());
    expect(chat.stdout()).toContain('(1 of 2) Support asks');
    chat.type('a\r');
    await chat.shows('(2 of 2) Support asks');
    expect(refunded()).toEqual([]);
    chat.type('d\r');
    await chat.shows('Why?');
    chat.type('\r');
    await continues(chat);
    expect(refunded()).toEqual([{ order: 1, amount: 1 }]);
  });

  it('stays pending on Ctrl-C, which says how to answer it later', async () => {
    propose(refund);
    const chat = await askedIn(start());
    chat.type('appr\u0003');
    await chat.shows('it stays pending');
    const [approval] = await pending();
    await chat.shows(`POST /api/v1/hitl/{id}/respond (${approval?.id}).`);
    chat.type('/help\r');
    await chat.shows('start a new conversation');
    chat.type('\u0004');
    expect(await chat.ended).toBe(0);
    expect(await pending()).toHaveLength(1);
    expect(refunded()).toEqual([]);
  });

  it('may be answered elsewhere meanwhile', async () => {
    propose(refund, { order: 18, amount: 1 });
    const chat = await askedIn(start());
    const [first, second] = await pending();
    chat.type('a'); // Not sent: it must not become part of the next input.
    await desk.respond(first?.id ?? '', { action: 'deny', text: 'From elsewhere.' });
    await chat.shows('The approval of refund: denied (From elsewhere.).');
    await chat.shows('"order": 18');
    await desk.respond(second?.id ?? '', { action: 'approve' });
    await continues(chat);
    expect(chat.stdout()).not.toMatch(/ALREADY_RESOLVED|stays pending/);
    expect(refunded()).toEqual([{ order: 18, amount: 1 }]);
    expect(toldModel()).toContain('"Thanks."');
  });

  it('is reported as expired when its tool was changed', async () => {
    propose(refund);
    const other = await desk.makeBot({ name: 'Fickle' });
    const args = [other.botId, '--new', '--url', service.url];
    const environment = { SVC_API_KEY: service.key };
    const chat = await askedIn(startChat({ args, environment, inTerminal: true }));
    await service.call(`PUT /api/v1/tools/${other.toolId}`, { body: { is_active: false } });
    chat.type('a\r');
    await chat.shows('The tool was changed or removed');
    await continues(chat);
    expect(refunded()).toEqual([]);
  });

  it('is left to others if the key may not answer', async () => {
    propose(refund);
    const abilities = ['bots:read', 'chat:write', 'conversations:read'] as const;
    const key = await service.makeKey({ abilities: [...abilities] });
    const chat = await askedIn(start({ SVC_API_KEY: key }));
    chat.type('a\r');
    await chat.shows('This key lacks the ability approvals:write.');
    await chat.shows('Waiting for another person');
    const [approval] = await pending();
    await desk.respond(approval?.id ?? '', { action: 'approve' });
    await continues(chat);
    expect(refunded()).toEqual([refund]);
  });

  it('cannot send escape sequences to the terminal', async () => {
    const tool = await service.call('POST /api/v1/tools', {
      body: { tool_type: 'web_fetch', name: 'web', description: 'x', configuration: { approval: 'always' } },
    });
    const { body } = await service.call('POST /api/v1/bots', { body: { name: 'Web', system_prompt: 'x' } });
    const assignments = [{ tool_type: 'web_fetch', tool_configuration_id: tool.body.id }];
    await service.call('POST /api/v1/tools/assign', { body: { bot_id: body.id, assignments } });
    const url = 'http://a.example/\u001B]0;pwned\u0007\u202Egnp.exe\r\n[a]pprove> a';
    proposeCalls([{ name: 'web_fetch', arguments: { url } }]);
    const args = [body.id as string, '--new', '--url', service.url];
    const chat = await askedIn(
      startChat({ args, environment: { SVC_API_KEY: service.key }, inTerminal: true }),
    );
    expect(chat.stdout()).toContain(String.raw`GET http://a.example/\u{1b}]0;pwned\u{7}\u{202e}gnp.exe\u{d}`);
    expect(chat.stdout()).toContain('  │ [a]pprove> a');
    expect(chat.stdout()).not.toContain('\u001B]0;');
    expect(chat.stdout()).not.toContain('\u202E');
    chat.type('d\r');
    await chat.shows('Why?');
    chat.type('\r');
    await continues(chat);
    expect(chat.stdout()).not.toContain('\u001B]0;');
  });
});

/** The last call that is shown can be answered. */
const asksLast = (chat: ChatProcess) =>
  expect
    .poll(() => chat.stdout().lastIndexOf('later)> ') > chat.stdout().lastIndexOf('may it call'))
    .toBe(true);

describe('work on a machine, in a terminal', () => {
  it('is allowed for the conversation, listed, revoked, shown as a diff and undone', async () => {
    const machine = await pairScripted(service);
    await machine.connect(service.url);
    machine.setScript((operation) =>
      operation.name === 'revert' ? { status: 'ok', value: { files: [] } } : usualOutcome(operation),
    );
    const coder = await makeCodingBot(service, { machine_id: machine.id, workdir: '/project' });
    let nth = 0;
    scripted.respondWith(({ body }) => {
      const messages = body['messages'] as { role: string; content: string }[];
      const last = messages.at(-1);
      if (last?.role !== 'user') return [text(`Done ${nth}.`)];
      nth += 1;
      const change = { path: 'a.txt', content: 'new' };
      return last.content === 'Change'
        ? [toolCalls([{ name: 'write_file', arguments: change }])]
        : [toolCalls([{ name: 'run_command', arguments: { command: 'npm test' } }])];
    });
    const args = [coder, '--new', '--url', service.url];
    const environment = { SVC_API_KEY: service.key, TERM: 'xterm-256color' };
    const chat = startChat({ args, environment, inTerminal: true });
    await chat.shows('you> ');
    chat.type('Test\r');
    await chat.shows('(on this machine) also allow "npm test" in /project, word for word.');
    await chat.shows('[a]pprove once, [c] or [m] from now on, ');
    chat.type('c\r');
    await chat.shows('Done 1.');
    chat.type('Test\r');
    await chat.shows('runs without asking, as was allowed.');
    await chat.shows('Done 2.');
    chat.type('/allowed\r');
    await chat.shows('This was allowed without asking in this conversation.');
    await chat.shows('1. "npm test" in /project, word for word, in this conversation');
    chat.type('/allowed revoke 1\r');
    await chat.shows('It is asked about again.');
    chat.type('/plan\r');
    await chat.shows('the bot can only read');
    chat.type('/plan off\r');
    await chat.shows('the bot can work again');
    chat.type('Change\r');
    await chat.shows('also allow changes of files in /project');
    await asksLast(chat);
    // Left for later, then answered after all.
    chat.type('\u0003');
    await chat.shows('it stays pending');
    // For the next message, whatever is answered before it.
    chat.type('/plan\r');
    await expect.poll(() => chat.stdout().split('the bot can only read').length).toBe(3);
    chat.type('/approve\r');
    await chat.shows('Change to:');
    await expect.poll(() => chat.stdout().split('may it call write_file?').length).toBe(3);
    await asksLast(chat);
    chat.type('a\r');
    await chat.shows('Done 3.');
    // Colored, because this is a terminal.
    await chat.shows('\u001B[32m  │ +new');
    chat.type('/diff\r');
    await expect.poll(() => chat.stdout().split('\u001B[31m  │ -old').length).toBeGreaterThan(3);
    chat.type('/undo\r');
    await chat.shows('Undone: 4 messages removed.');
    chat.type('Think\r');
    await chat.shows('Done 4.');
    expect(JSON.stringify(scripted.requests.at(-1)?.body['tools'])).toContain('present_plan');
    chat.type('\u0004');
    expect(await chat.ended, chat.stdout()).toBe(0);
    expect(machine.operations('revert')).toHaveLength(1);
    await machine.disconnect();
  });
});

describe('through a pipe', () => {
  it('nobody can be asked, so it prints how to answer and exits with 3', async () => {
    propose(refund);
    const chat = start({}, false);
    chat.type('Please refund order 17.\nnot sent\n');
    expect(await chat.ended, chat.stderr()).toBe(3);
    const [approval] = await pending();
    expect(chat.stderr()).toContain(`needs approval (${approval?.id})`);
    expect(chat.stderr()).toContain('POST /api/v1/hitl/{id}/respond');
    expect(chat.stdout()).toBe('');
    expect(refunded()).toEqual([]);
  });
});
