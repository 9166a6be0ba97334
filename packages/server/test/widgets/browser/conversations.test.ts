import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Member, makeMember } from '../../support/members.ts';
import { type ChatStage, startChatStage, type Visit } from './chat-stage.ts';
import { snippet, widgetOn } from './start-site.ts';

let stage: ChatStage;
const visits: Visit[] = [];
beforeAll(async () => {
  stage = await startChatStage();
});
afterAll(() => stage?.close());
afterEach(async () => {
  stage.model.autoplay();
  for (const { page } of visits.splice(0)) await page.close();
});

async function visit(...input: Parameters<ChatStage['visit']>): Promise<Visit> {
  const opened = await stage.visit(...input);
  visits.push(opened);
  return opened;
}

const until = (check: () => unknown) => expect.poll(check);
const answer = (...texts: string[]) =>
  stage.model.autoplay((reply) => {
    reply.write(...texts);
    reply.finish();
  });

it('answers the first message word by word, and requests no token before it', async () => {
  const key = await stage.createBot();
  const { page, lines, write, button } = await visit(key);
  const requested: string[] = [];
  page.on('request', (request) => requested.push(new URL(request.url()).pathname));
  await until(lines).toEqual(['Welcome!']);
  expect(requested.filter((path) => path.includes('token'))).toEqual([]);
  await write('Where is my parcel?');
  await until(lines).toEqual(['Welcome!', 'Where is my parcel?']);
  const reply = await stage.model.next();
  await button('Stop the answer').waitFor();
  reply.write('It is ');
  await until(lines).toEqual(['Welcome!', 'Where is my parcel?', 'It is']);
  reply.write('**on its way**.');
  reply.finish();
  await until(lines).toEqual(['Welcome!', 'Where is my parcel?', 'It is on its way.']);
  await button('Send').waitFor();
  expect(requested.filter((path) => path.includes('token'))).toEqual(['/api/widget/token']);
});

it('stops an answer and keeps what was written', async () => {
  const { lines, write, button, sees } = await visit(await stage.createBot());
  await write('Tell me a story');
  const reply = await stage.model.next();
  reply.write('Once upon a time');
  await until(async () => (await lines()).at(-1)).toBe('Once upon a time');
  await button('Stop the answer').click();
  await sees('Stopped.');
  await button('Send').waitFor();
  await reply.abandoned;
});

it('says that an answer failed, and asks again without doubling the question', async () => {
  const { lines, write, button, sees } = await visit(await stage.createBot());
  stage.model.autoplay((reply) => reply.cut());
  await write('Hello');
  await sees('The answer could not be finished.');
  answer('Now it works.');
  await button('Try again').click();
  await until(lines).toEqual(['Welcome!', 'Hello', 'Now it works.']);
});

it('shows the history after a reload, and the answer that is still being written', async () => {
  const { page, lines, write, open } = await visit(await stage.createBot());
  await write('Hello');
  const reply = await stage.model.next();
  reply.write('I am writ');
  await until(async () => (await lines()).at(-1)).toBe('I am writ');
  await page.reload();
  await open();
  await until(lines).toEqual(['Welcome!', 'Hello', 'I am writ']);
  reply.write('ing.');
  reply.finish();
  await until(lines).toEqual(['Welcome!', 'Hello', 'I am writing.']);
});

it('keeps a message without a connection, and sends it when there is one again', async () => {
  const { page, lines, write, sees } = await visit(await stage.createBot());
  answer('Hello to you.');
  await write('Hello');
  await until(async () => (await lines()).length).toBe(3);
  await page.context().setOffline(true);
  try {
    await sees('No connection. Your message is kept.');
    await write('Are you there?');
    await sees('Are you there?');
  } finally {
    await page.context().setOffline(false);
  }
  await until(lines).toEqual(['Welcome!', 'Hello', 'Hello to you.', 'Are you there?', 'Hello to you.']);
});

it('hands over to a person and back', async () => {
  const key = await stage.createBot();
  const assignments = [{ tool_type: 'handoff' }];
  await stage.service.call('POST /api/v1/tools/assign', { body: { bot_id: key.bot_id, assignments } });
  const { page, lines, write, sees } = await visit(key);
  await write('A person, please');
  (await stage.model.next()).callTool('handoff', { reason: 'Secret reason' });
  const goodbye = await stage.model.next();
  goodbye.write('Somebody comes.');
  goodbye.finish();
  await sees('A person has been asked');
  const id = await stage.conversationOf(key.bot_id);
  const read = async () => (await stage.service.call(`GET /api/v1/conversations/${id}`)).body;
  await until(async () => (await read()).status).toBe('idle');
  await write('Hello?');
  // It is shown before it is stored, and the person answers what is stored.
  await until(async () => (await read()).messages.at(-1).content).toBe('Hello?');
  const body = { content: 'I can help.', author_name: 'Ann' };
  await stage.service.call(`POST /api/v1/conversations/${id}/messages`, { body });
  await sees('Ann');
  await until(async () => (await lines()).slice(-2)).toEqual(['Hello?', 'I can help.']);
  // What was read is not counted as unread.
  const { launcher, widget, panel } = widgetOn(page);
  // The launcher alone, beside the panel.
  await widget.getByRole('button', { name: 'Close chat' }).click();
  await panel.waitFor({ state: 'hidden' });
  expect(await launcher.getAttribute('aria-label')).toBe('Open chat');
  await launcher.click();
  await stage.service.call(`PATCH /api/v1/conversations/${id}`, { body: { needs_human: null } });
  await until(() => panel.getByText('A person has been asked').count()).toBe(0);
  await sees('The assistant is answering again');
  answer('The bot again.');
  await write('Thanks');
  await until(async () => (await lines()).at(-1)).toBe('The bot again.');
  expect(await panel.innerHTML()).not.toContain('Secret');
});

it('says that a person has taken over, and that the assistant answers again once that is resolved', async () => {
  const key = await stage.createBot();
  const { page, lines, write, open, sees } = await visit(key);
  const { panel } = widgetOn(page);
  const shows = (text: string) => until(() => panel.getByText(text).count());
  const ada = await makeMember(stage.service, { role: 'operator' });
  const change = async (body: object, { call }: Pick<Member, 'call'> = ada) => {
    const id = await stage.conversationOf(key.bot_id);
    expect(await call(`PATCH /api/v1/conversations/${id}`, { body })).toMatchObject({ status: 200 });
  };
  answer('An answer.');
  await write('Hello');
  await until(lines).toEqual(['Welcome!', 'Hello', 'An answer.']);
  await change({ needs_human: { reason: 'Secret reason' } });
  await sees('You are now talking to a person');
  await shows('A person has been asked').toBe(0);
  await page.reload();
  await open();
  await sees('You are now talking to a person');
  // Nobody has written anything.
  await change({ state: 'resolved' });
  await sees('The assistant is answering again');
  await shows('You are now talking to a person').toBe(0);
  await change({ needs_human: { reason: '' } });
  await sees('You are now talking to a person');
  const left = page.url();
  await page.goto('about:blank');
  await change({ needs_human: null });
  await page.goto(left);
  await open();
  await sees('The assistant is answering again');
  // A program only asks for one.
  await change({ needs_human: { reason: 'Secret reason' } }, stage.service);
  await sees('A person has been asked');
  expect(await panel.innerHTML()).not.toContain('Secret');
});

it('shows of an approval only that somebody is checking', async () => {
  const key = await stage.createBot();
  const tool = await stage.service.call('POST /api/v1/tools', {
    body: {
      tool_type: 'http_request',
      name: 'refund',
      description: 'x',
      configuration: {
        method: 'POST',
        url: 'http://127.0.0.1:9/x',
        parameters: { type: 'object', properties: { order: { type: 'string' } } },
        approval: 'always',
      },
    },
  });
  const assignments = [{ tool_type: 'http_request', tool_configuration_id: tool.body.id }];
  await stage.service.call('POST /api/v1/tools/assign', { body: { bot_id: key.bot_id, assignments } });
  const { page, lines, write, sees } = await visit(key);
  await write('My money back');
  (await stage.model.next()).callTool('refund', { order: 'SECRET-17' });
  await sees('Somebody is checking this. You can close the chat: the answer will be here.');
  const html = await widgetOn(page).panel.innerHTML();
  expect(html).not.toMatch(/SECRET|refund/);
  const pending = await stage.service.call('GET /api/v1/hitl');
  const approval = pending.body.find((item: { tool_name: string }) => item.tool_name === 'refund');
  await stage.service.call(`POST /api/v1/hitl/${approval.id}/respond`, { body: { action: 'deny' } });
  const reply = await stage.model.next();
  reply.write('That is not possible.');
  reply.finish();
  await until(lines).toEqual(['Welcome!', 'My money back', 'That is not possible.']);
});

it('explains the rate limit and keeps the text', async () => {
  const { page, lines, write } = await visit(await stage.createBot({}, { visitor_messages_per_hour: 1 }));
  answer('First answer.');
  await write('one');
  await until(async () => (await lines()).at(-1)).toBe('First answer.');
  await write('two');
  await widgetOn(page).panel.getByText('Many people are writing.').waitFor();
  await until(async () => (await lines()).at(-1)).toBe('two');
});

it('counts an answer that arrives while the panel is closed', async () => {
  const key = await stage.createBot();
  const { page, write, lines, open } = await visit(key);
  await page.clock.install();
  await page.reload();
  await open();
  await write('Hello');
  const reply = await stage.model.next();
  await until(lines).toEqual(['Welcome!', 'Hello']);
  const { launcher, panel, composer } = widgetOn(page);
  await composer.press('Escape');
  await panel.waitFor({ state: 'hidden' });
  reply.write('Here you are.');
  reply.finish();
  const id = await stage.conversationOf(key.bot_id);
  await until(async () => (await stage.service.call(`GET /api/v1/conversations/${id}`)).body.status).toBe(
    'idle',
  );
  await page.clock.fastForward(30_000);
  await until(() => launcher.getAttribute('aria-label')).toBe('Open chat. Unread messages: 1');
  await open();
  await until(lines).toEqual(['Welcome!', 'Hello', 'Here you are.']);
});

it('starts a new conversation from the menu', async () => {
  const { lines, write, button } = await visit(await stage.createBot());
  answer('An answer.');
  await write('one');
  await until(lines).toEqual(['Welcome!', 'one', 'An answer.']);
  await button('More options').click();
  await button('New conversation').click();
  await until(lines).toEqual(['Welcome!']);
  await write('two');
  await until(lines).toEqual(['Welcome!', 'two', 'An answer.']);
});

it('knows a named user on every device, and shows nobody else the messages', async () => {
  const key = await stage.createBot();
  const created = await stage.service.call(`POST /api/v1/widgets/keys/${key.id}/identity-secret`);
  const sign = (user: string) => ({
    user_id: user,
    user_hash: createHmac('sha256', created.body.identity_secret).update(user).digest('hex'),
  });
  const identify = ({ page }: Visit, user: object | null) =>
    page.evaluate((given) => {
      (window as unknown as { svc: { identify(user: object | null): void } }).svc.identify(given);
    }, user);
  answer('Hello Ada.');
  const first = await visit(key);
  await identify(first, sign('ada'));
  await first.write('It is me');
  await until(first.lines).toEqual(['Welcome!', 'It is me', 'Hello Ada.']);
  const second = await visit(key);
  await identify(second, sign('ada'));
  await until(second.lines).toEqual(['Welcome!', 'It is me', 'Hello Ada.']);
  await identify(second, sign('bob'));
  await until(second.lines).toEqual(['Welcome!']);
  await identify(first, null);
  await until(first.lines).toEqual(['Welcome!']);
});

it('fills a phone and works from right to left', async () => {
  const key = await stage.createBot();
  const { page, lines, write } = await visit(key, {
    head: `<meta name="viewport" content="width=device-width">${snippet(stage.service.url, key.api_key)}`,
    attributes: 'lang="ar" dir="rtl"',
  });
  await page.setViewportSize({ width: 375, height: 667 });
  const { panel } = widgetOn(page);
  await until(() => panel.boundingBox()).toEqual({ x: 0, y: 0, width: 375, height: 667 });
  answer('مرحبا بك');
  await write('مرحبا');
  await until(lines).toEqual(['Welcome!', 'مرحبا', 'مرحبا بك']);
  expect(await panel.getAttribute('dir')).toBe('rtl');
  // The visitor's own message is at the end of the line, which is on the left.
  const own = await panel.getByText('مرحبا', { exact: true }).boundingBox();
  const bot = await panel.getByText('مرحبا بك', { exact: true }).first().boundingBox();
  expect(own?.x).toBeLessThan(bot?.x ?? 0);
});
