import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { status, text, usage } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { askedBy, chatWith, scriptedEnvironment } from '../support/chat.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let scripted: ScriptedModel;
let service: TestApp;
let botId: string;
const chat = chatWith(() => service);
beforeAll(async () => {
  scripted = await startScriptedModel();
  service = await startTestApp({ environment: scriptedEnvironment(scripted) });
  botId = await chat.bot();
});
beforeEach(() => {
  scripted.reset();
  scripted.respondWith([text('Yes.'), usage(12, 3, 4)]);
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
});

const list = (query: string, key?: string) =>
  service.call(`GET /api/v1/conversations${query}`, { ...(key && { key }) });
const idsOf = async (query: string): Promise<string[]> =>
  (await list(query)).body.map(({ id }: { id: string }) => id);

async function conversations(count: number, fields: object = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const said = await chat.say({ bot_id: botId, new_conversation: true, ...fields });
    ids.push(said.conversationId);
  }
  return ids;
}

it('lists the newest first, with every field', async () => {
  const user = `lister-${randomUUID()}`;
  const ids = await conversations(3, { external_user_id: user });
  expect(await idsOf(`?external_user_id=${user}`)).toEqual(ids.toReversed());
  const { body } = await list(`?external_user_id=${user}&limit=1`);
  const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(body).toEqual([
    {
      id: ids[2],
      tenant_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      bot_id: botId,
      channel: 'chat',
      external_user_id: user,
      title: 'hello',
      status: 'idle',
      metadata: {},
      needs_human: null,
      assignee: null,
      state: 'open',
      snoozed_until: null,
      labels: [],
      unread_mentions: [],
      message_count: 2,
      created_at: timestamp,
      updated_at: timestamp,
      last_message_at: timestamp,
    },
  ]);
});

it('filters by user, channel, bot and metadata, alone and together', async () => {
  const [user, shop] = [randomUUID(), randomUUID()];
  const other = await chat.bot();
  const [plain] = await conversations(1, { external_user_id: user });
  const [marked] = await conversations(1, { external_user_id: user, metadata: { shop, 'a.b': 'ü =&' } });
  const [ofOther] = await conversations(1, { bot_id: other, metadata: { shop } });
  expect(await idsOf(`?external_user_id=${user}`)).toEqual([marked, plain]);
  expect(await idsOf(`?bot_id=${other}`)).toEqual([ofOther]);
  expect(await idsOf(`?metadata.shop=${shop}`)).toEqual([ofOther, marked]);
  expect(await idsOf(`?metadata.shop=${shop}&metadata.a.b=${encodeURIComponent('ü =&')}`)).toEqual([marked]);
  expect(await idsOf(`?metadata.shop=${shop}&bot_id=${botId}&channel=chat`)).toEqual([marked]);
  expect(await idsOf(`?metadata.shop=${shop}&channel=voice`)).toEqual([]);
  expect(await idsOf(`?external_user_id=${randomUUID()}`)).toEqual([]);
});

it('refuses what it does not know', async () => {
  expect((await list(`?bot_id=${randomUUID()}`)).body.code).toBe('NOT_FOUND');
  const { key } = await service.makeWorkspace();
  expect((await list(`?bot_id=${botId}`, key)).status).toBe(404);
  for (const query of ['?channel=fax', '?limit=0', '?limit=501', '?limit=x', '?before=x', '?user=x']) {
    expect([query, (await list(query)).status]).toEqual([query, 400]);
  }
  expect((await list('', key)).body).toEqual([]);
});

it('shows a conversation of a channel that only newer nodes know', async () => {
  const user = randomUUID();
  const ids = await conversations(1, { external_user_id: user });
  await service.database.acrossWorkspaces.raw(
    `update conversations set channel = 'later' where external_user_id = '${user}'`,
  );
  expect(await idsOf(`?external_user_id=${user}`)).toEqual(ids);
});

it('pages by the Link header, with no conversation missing or repeated', async () => {
  const user = randomUUID();
  const ids = await conversations(7, { external_user_id: user, metadata: { 'näme &': 'wert =' } });
  const seen: string[] = [];
  const metadata = `metadata.${encodeURIComponent('näme &')}=${encodeURIComponent('wert =')}`;
  let query: string | undefined = `?external_user_id=${user}&limit=3&channel=chat&${metadata}`;
  const sizes: number[] = [];
  while (query !== undefined) {
    const { body, headers } = await list(query);
    sizes.push(body.length);
    seen.push(...body.map(({ id }: { id: string }) => id));
    // A conversation that begins meanwhile belongs before the first page, not on a later one.
    await chat.say({ bot_id: botId, external_user_id: user, new_conversation: true });
    const link = headers.get('link');
    const next = link === null ? undefined : /^<([^>]+)>; rel="next"$/.exec(link)?.[1];
    if (link !== null) expect(next).toContain('/api/v1/conversations?');
    query = next && new URL(next).search;
  }
  expect(sizes).toEqual([3, 3, 1]);
  expect(seen).toEqual(ids.toReversed());
});

it('has no next page when the last one is exactly full', async () => {
  const user = randomUUID();
  await conversations(2, { external_user_id: user });
  expect((await list(`?external_user_id=${user}&limit=2`)).headers.get('link')).toBeNull();
});

it('is read with its messages; another workspace finds nothing', async () => {
  const { conversationId: id, events } = await chat.say({ bot_id: botId, message: 'Ünïcode 🙂' });
  const { body } = await service.call(`GET /api/v1/conversations/${id}`);
  expect(body.messages).toEqual([events[0]?.data.user_message, events.at(-2)?.data.message]);
  const { key } = await service.makeWorkspace();
  const blind = await service.makeKey({ abilities: ['chat:write'] });
  for (const path of [id, `${id}/trace`]) {
    expect((await service.call(`GET /api/v1/conversations/${path}`, { key })).status).toBe(404);
    expect((await service.call(`GET /api/v1/conversations/${path}`, { key: blind })).status).toBe(403);
  }
  expect((await service.call(`GET /api/v1/conversations/${randomUUID()}`)).status).toBe(404);
});

it('is read only for its own user, if the request names one', async () => {
  const user = `user & ${randomUUID()}`;
  const { conversationId: id } = await chat.say({ bot_id: botId, external_user_id: user });
  const paths = [
    `/api/v1/conversations/${id}?`,
    `/api/v1/conversations/${id}/trace?`,
    `/api/v1/chat/events?conversation_id=${id}&`,
    `/api/v1/chat/stats?conversation_id=${id}&`,
    `/api/v1/chat/stream?conversation_id=${id}&`,
  ];
  for (const path of paths) {
    const read = (query: string, place = path) =>
      service.call(`GET ${place}${query}`, { headOnly: path.includes('stream') });
    expect([path, (await read(`external_user_id=${encodeURIComponent(user)}`)).status]).toEqual([path, 200]);
    const refused = await read('external_user_id=another');
    const unknown = await read('external_user_id=another', path.replace(id, randomUUID()));
    expect(refused.status).toBe(404);
    expect({ ...refused.body, request_id: '' }).toEqual({ ...unknown.body, request_id: '' });
    expect([path, (await read('external_user_id=')).status]).toEqual([path, 400]);
  }
});

it("has metadata that is replaced wholesale, by PATCH and by a message's", async () => {
  const user = { bot_id: botId, external_user_id: randomUUID() };
  const { conversationId: id } = await chat.say({ ...user, metadata: { a: '1', b: '2' } });
  const read = async () => (await service.call(`GET /api/v1/conversations/${id}`)).body;
  const replace = (body: unknown, key?: string) =>
    service.call(`PATCH /api/v1/conversations/${id}/metadata`, { body, ...(key && { key }) });
  expect(await replace({ c: '3' })).toMatchObject({ status: 200, body: { message: expect.any(String) } });
  expect((await read()).metadata).toEqual({ c: '3' });
  await chat.say({ ...user, metadata: { d: '4' } });
  expect((await read()).metadata).toEqual({ d: '4' });
  await chat.say(user);
  expect((await read()).metadata).toEqual({ d: '4' });
  for (const metadata of [{ a: 1 }, { a: null }, ['a'], { a: 'x'.repeat(8_192) }]) {
    expect(await replace(metadata)).toMatchObject({ status: 422, body: { code: 'METADATA_INVALID' } });
  }
  const { key } = await service.makeWorkspace();
  expect((await replace({}, key)).status).toBe(404);
  expect((await replace({}, await service.makeKey({ abilities: ['conversations:read'] }))).status).toBe(403);
  expect((await read()).metadata).toEqual({ d: '4' });
  await replace({});
  expect(await idsOf(`?external_user_id=${user.external_user_id}&metadata.d=4`)).toEqual([]);
});

it('has a trace of the turns that ran while tracing was on, with the exact model requests', async () => {
  const bot = await chat.bot({ enable_agent_tracing: true, chat_greeting: 'Hi!' });
  const user = { bot_id: bot, external_user_id: randomUUID() };
  const first = await chat.say({ ...user, message: 'One' });
  const second = await chat.say({ ...user, message: 'Two' });
  await service.call(`PUT /api/v1/bots/${bot}`, { body: { enable_agent_tracing: false } });
  await chat.say({ ...user, message: 'Three' });
  const { body } = await service.call(`GET /api/v1/conversations/${first.conversationId}/trace`);
  expect(body.conversation_id).toBe(first.conversationId);
  expect(body.steps).toEqual(
    [first, second].map(({ turnId }, index) => {
      const [system, ...messages] = askedBy(scripted.requests[index]);
      return {
        id: expect.any(String),
        turn_id: turnId,
        index,
        type: 'model',
        name: 'openai/gpt-4o',
        status: 'ok',
        started_at: expect.any(String),
        duration_ms: expect.any(Number),
        input: { system: system?.content, messages },
        output: { text: 'Yes.' },
        usage: { input_tokens: 12, cached_input_tokens: 4, output_tokens: 3 },
        error: null,
      };
    }),
  );
});

it('has a trace of a turn that failed', async () => {
  const bot = await chat.bot({ enable_agent_tracing: true });
  scripted.respondWith([status(400, {}, { error: { message: 'provider-words' } })]);
  const { conversationId, last } = await chat.say({ bot_id: bot });
  const { body } = await service.call(`GET /api/v1/conversations/${conversationId}/trace`);
  expect(body.steps).toMatchObject([{ type: 'model', status: 'error', error: last.data.error.message }]);
  expect(JSON.stringify(body)).not.toContain('provider-words');
});
