import { randomUUID } from 'node:crypto';
import type { WidgetKey } from '@svc/contract/widgets';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLive } from '../console/support/live-client.ts';
import { text } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { chatWith, eventually, scriptedEnvironment } from '../support/chat.ts';
import { makePerson } from '../support/end-users.ts';
import { makeMember } from '../support/members.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { createWidget, openPage, type Page } from '../widgets/use-widget.ts';
import { tablesContaining } from './find-text.ts';

const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0';

let scripted: ScriptedModel;
let service: TestApp;
let key: WidgetKey;
let page: Page;
const chat = chatWith(() => service);
beforeAll(async () => {
  scripted = await startScriptedModel();
  service = await startTestApp({ environment: scriptedEnvironment(scripted) });
  scripted.respondWith(() => [text('Certainly.')]);
  key = await createWidget(service);
  page = openPage(service, key.api_key);
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
});

const address = (user: string) => `/api/v1/end-users/${encodeURIComponent(user)}`;
const read = (user: string, as = service.key) => service.call(`GET ${address(user)}`, { key: as });
const correct = (user: string, body: object, as = service.key) =>
  service.call(`PATCH ${address(user)}`, { key: as, body });
const report = (token: string, body: object, headers = {}) =>
  page.call('POST /api/widget/visitor', { token, body, headers });

/** A visitor who has written. */
async function makeVisitor() {
  const { token, visitor_id: id } = await page.issueToken();
  return { token, id, conversation: await page.say(token) };
}

/** A person of the API who has written, in a workspace of their own or in this one. */
async function makeWriter(user = `person-${randomUUID()}`) {
  const botId = await chat.bot();
  const { conversationId } = await chat.say({ bot_id: botId, external_user_id: user, message: 'Hello' });
  return { user, botId, conversationId };
}

const count = async (user: string) => {
  const { rows } = await service.database.acrossWorkspaces.raw(
    'select from end_user_details where external_user_id = $1',
    [user],
  );
  return rows.length;
};

describe('what a widget says of its visitor', () => {
  it('is kept, without what may be secret, and what it leaves out stays', async () => {
    const { token, id } = await makeVisitor();
    expect(await read(id)).toMatchObject({
      status: 200,
      body: { name: null, page_url: null, seen_at: null },
    });
    const first = {
      name: 'Mia Meyer',
      email: 'mia@example.com',
      page_url: 'https://ada:pass@shop.example.com/cart/7?token=secret#secret',
      page_title: 'Your cart',
    };
    expect(await report(token, first, { 'user-agent': firefox })).toMatchObject({ status: 200 });
    const known = {
      external_user_id: id,
      name: 'Mia Meyer',
      email: 'mia@example.com',
      page_url: 'https://shop.example.com/cart/7',
      page_title: 'Your cart',
      browser: 'Firefox on Windows',
      seen_at: expect.any(String),
    };
    expect((await read(id)).body).toEqual(known);
    await report(token, { page_url: 'https://shop.example.com/' });
    expect((await read(id)).body).toMatchObject({
      ...known,
      page_url: 'https://shop.example.com/',
      page_title: null,
    });
    expect(await tablesContaining(service.database, 'token=secret')).toEqual([]);
  });

  it.each([
    ['a long name', { name: 'x'.repeat(81) }, 'name'],
    ['an empty name', { name: ' ' }, 'name'],
    ['what is not an address', { email: 'mia' }, 'email'],
    ['a long address', { email: `${'x'.repeat(250)}@example.com` }, 'email'],
    ['a page of another site', { page_url: 'https://evil.example.com/' }, 'page_url'],
    ['a page of another port', { page_url: 'https://shop.example.com:8443/' }, 'page_url'],
    ['a script', { page_url: 'javascript:alert(1)' }, 'page_url'],
    ['another protocol', { page_url: 'ftp://shop.example.com/' }, 'page_url'],
    ['a long page', { page_url: `https://shop.example.com/${'x'.repeat(2_000)}` }, 'page_url'],
    ['a page that gets long', { page_url: `https://shop.example.com/${'ä'.repeat(1_900)}` }, 'page_url'],
    ['a long title', { page_title: 'x'.repeat(201) }, 'page_title'],
    ['half a character', { page_title: 'Cart \uD83D' }, 'page_title'],
    ['anything else', { role: 'owner' }, 'role'],
  ])('is refused if it has %s', async (_what, body, path) => {
    const { token, id } = await makeVisitor();
    expect(await report(token, body)).toMatchObject({ status: 400, body: { details: [{ path }] } });
    expect((await read(id)).body.seen_at).toBeNull();
  });

  it('has nothing in it that would not be seen or would turn text around', async () => {
    const { token, id } = await makeVisitor();
    const name = ' Mia\u202E\u2066\u0007\n\u200B\u{E0041} \u00A0Meyer\u200F\u3164 👩\u200D💻 ';
    await report(token, { name, page_url: 'https://shop.example.com/', page_title: '\u202Egnp.' });
    expect((await read(id)).body).toMatchObject({ name: 'Mia Meyer 👩\u200D💻', page_title: 'gnp.' });
    await report(token, { name: '\u200B\u202E' });
    expect((await read(id)).body).toMatchObject({ name: 'Mia Meyer 👩\u200D💻' });
  });

  it('is taken so often a minute, and the visitor can still write then', async () => {
    const { token, conversation } = await makeVisitor();
    const said = await Promise.all(Array.from({ length: 25 }, () => report(token, { name: 'Mia' })));
    expect(said.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(said.find(({ status }) => status === 429)?.body.details).toEqual([
      { limit: 'visitor_details_per_minute', value: 20 },
    ]);
    expect(await page.say(token)).toBe(conversation);
  });

  it('is refused before the visitor has written, from other sites, and with tokens of other widgets', async () => {
    const { token } = await page.issueToken();
    expect((await report(token, { name: 'Mia' })).status).toBe(404);
    const { token: written, id } = await makeVisitor();
    const elsewhere = openPage(service, key.api_key, 'https://evil.example.com');
    const body = { name: 'Mallory' };
    expect((await elsewhere.call('POST /api/widget/visitor', { token: written, body })).status).toBe(403);
    const other = openPage(service, (await createWidget(service)).api_key);
    expect((await other.call('POST /api/widget/visitor', { token: written, body })).status).toBe(401);
    const { token: ofPerson } = await makePerson(service, { userId: id });
    expect((await report(ofPerson, body)).status).toBe(401);
    expect((await read(id)).body.name).toBeNull();
  });
});

describe('the name of a user', () => {
  it('is in the console wherever the conversation is, and finds it', async () => {
    const viewer = await makeMember(service, { role: 'viewer' });
    const live = await openLive(service.url, viewer);
    const { token, id, conversation } = await makeVisitor();
    const name = `Mia ${randomUUID()}`;
    await report(token, { name });
    await eventually(() => live.received.findLast(({ type }) => type === 'changed')).toMatchObject({
      object: 'conversation',
      id: conversation,
      data: { user_name: name },
    });
    live.socket.terminate();
    const listed = await viewer.call(`GET /api/console/conversations?external_user_id=${id}`);
    expect(listed.body).toMatchObject([{ id: conversation, user_name: name }]);
    const found = await viewer.call(`GET /api/console/conversations?q=${encodeURIComponent(name)}`);
    expect(found.body).toMatchObject([{ id: conversation }]);
    for (const path of ['/api/console/conversations', '/api/v1/conversations'])
      expect((await viewer.call(`GET ${path}/${conversation}`)).body.user_name).toBe(name);
    expect(
      (await page.call(`GET /api/widget/conversations/${conversation}`, { token })).body,
    ).not.toHaveProperty('user_name');
  });

  it('can be corrected and removed by the team, and the audit log does not have it', async () => {
    const { user } = await makeWriter();
    expect((await correct(user, { name: '  Mia\u202E ', email: 'mia@example.com' })).status).toBe(200);
    expect((await read(user)).body).toMatchObject({ name: 'Mia', email: 'mia@example.com', seen_at: null });
    await correct(user, { email: null });
    expect((await read(user)).body).toMatchObject({ name: 'Mia', email: null });
    // What was read can be sent back.
    expect((await correct(user, (await read(user)).body)).status).toBe(200);
    const { body: audit } = await service.call('GET /api/v1/audit?action=end_user');
    expect(audit.slice(0, 2)).toMatchObject([
      { object: { id: null, name: null }, changes: [{ field: 'email', before: null, after: 'changed' }] },
      { action: 'end_user.updated', changes: [{ field: 'name' }, { field: 'email' }] },
    ]);
    expect(JSON.stringify(audit)).not.toMatch(/Mia|mia@/);
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ name: '\u200B' }, 'name'],
    [{ name: 'x'.repeat(81) }, 'name'],
    [{ email: 'mia@' }, 'email'],
    [{ page_url: 'https://evil.example.com/', phone: '1' }, 'phone'],
  ])('is not corrected to %j', async (body, path) => {
    const { user } = await makeWriter();
    expect(await correct(user, body)).toMatchObject({ status: 400, body: { details: [{ path }] } });
    expect(await count(user)).toBe(0);
  });

  it('is nobody else’s to read or correct', async () => {
    const { user } = await makeWriter();
    await correct(user, { name: 'Mia' });
    const foreign = await service.makeWorkspace();
    expect((await read(user, foreign.key)).status).toBe(404);
    expect((await correct(user, { name: 'Mallory' }, foreign.key)).status).toBe(404);
    const reader = await service.makeKey({ abilities: ['conversations:read'] });
    expect((await read(user, reader)).body.name).toBe('Mia');
    expect((await correct(user, { name: 'Mallory' }, reader)).status).toBe(403);
    const other = await service.makeKey({ abilities: ['chat:write'] });
    expect((await read(user, other)).status).toBe(403);
    const viewer = await makeMember(service, { role: 'viewer' });
    expect((await viewer.call(`PATCH ${address(user)}`, { body: { name: 'Mallory' } })).status).toBe(403);
    const { token } = await makePerson(service, { userId: user });
    expect((await read(user, token)).status).toBe(403);
    expect((await read(`nobody-${randomUUID()}`)).status).toBe(404);
    expect((await correct(`nobody-${randomUUID()}`, { name: 'Mallory' })).status).toBe(404);
    expect((await read(user)).body.name).toBe('Mia');
  });

  it('is of one workspace, whatever the others call the same id', async () => {
    const { user } = await makeWriter();
    const foreign = await service.makeWorkspace();
    const body = { name: 'Bot', system_prompt: 'x' };
    const botId = (await service.call('POST /api/v1/bots', { key: foreign.key, body })).body.id;
    await chat.say({ bot_id: botId, external_user_id: user, message: 'Hello' }, { key: foreign.key });
    await correct(user, { name: 'Ours' });
    await correct(user, { name: 'Theirs' }, foreign.key);
    expect((await read(user)).body.name).toBe('Ours');
    expect((await read(user, foreign.key)).body.name).toBe('Theirs');
    await service.call(`DELETE ${address(user)}`);
    expect((await read(user)).status).toBe(404);
    expect((await read(user, foreign.key)).body.name).toBe('Theirs');
  });
});

describe('the details of a person', () => {
  it('are part of their export, and erased with them', async () => {
    const { token, id } = await makeVisitor();
    const name = `planted-${randomUUID()}`;
    await report(token, { name, email: `${name}@example.com`, page_url: `https://shop.example.com/${name}` });
    const { body } = await service.call(`GET ${address(id)}/export`);
    expect(body.details).toMatchObject({ name, email: `${name}@example.com`, browser: null });
    expect(await tablesContaining(service.database, name)).toEqual(['public.end_user_details']);
    expect((await service.call(`DELETE ${address(id)}`)).status).toBe(200);
    expect(await tablesContaining(service.database, name)).toEqual([]);
    expect((await service.call(`GET ${address(id)}/export`)).body.details).toBeNull();
    // Also those that a conversation which has just begun would keep.
    await service.database.acrossWorkspaces.raw(
      `insert into end_user_details (workspace_id, external_user_id, name)
       select workspace_id, $1, $2 from bots where id = $3`,
      [id, name, key.bot_id],
    );
    expect((await service.call(`DELETE ${address(id)}`)).status).toBe(200);
    expect(await tablesContaining(service.database, name)).toEqual([]);
    // The token has ended, so nothing comes back.
    expect((await report(token, { name })).status).toBe(401);
  });

  it('end with their last conversation, even if two are deleted together', async () => {
    for (let round = 0; round < 5; round++) {
      const { user, botId, conversationId } = await makeWriter();
      const more = { bot_id: botId, external_user_id: user, message: 'Hello', new_conversation: true };
      const ids = [conversationId];
      for (const _ of [1, 2]) ids.push((await chat.say(more)).conversationId);
      const [first = '', ...last] = ids;
      await correct(user, { name: 'Mia' });
      const remove = (id: string) => service.call(`DELETE /api/v1/conversations/${id}`);
      await remove(first);
      expect(await count(user)).toBe(1);
      await Promise.all(last.map(remove));
      expect(await count(user)).toBe(0);
    }
  });
});
