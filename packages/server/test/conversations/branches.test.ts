import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import * as script from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { askedBy, chatWith, namesOf, type SaidTurn, scriptedEnvironment, turnOf } from '../support/chat.ts';
import { makePerson, sayAs } from '../support/end-users.ts';
import { makeMember } from '../support/members.ts';
import { refund, refundDesk, type Shop, startShop } from '../support/refund-shop.ts';
import { openSse } from '../support/sse-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let scripted: ScriptedModel;
let service: TestApp;
let shop: Shop;
let botId: string;
const chat = chatWith(() => service);
let replies = 0;
beforeAll(async () => {
  scripted = await startScriptedModel();
  shop = await startShop();
  service = await startTestApp({
    environment: { ...scriptedEnvironment(scripted), SVC_EGRESS_ALLOW: '127.0.0.1' },
  });
  botId = await chat.bot({ enable_agent_tracing: true });
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
  shop.close();
});

const desk = refundDesk(
  () => service,
  () => shop,
  () => scripted,
);

const answerAll = () =>
  scripted.respondWith((request) => [
    script.text(`Reply ${(replies += 1)} to ${askedBy(request).at(-1)?.content}`),
  ]);

interface Options {
  key?: string;
  headers?: Record<string, string>;
}

const post = (path: string, body: object | undefined, options: Options = {}) =>
  openSse(`${service.url}/api/v1/conversations/${path}`, {
    method: 'POST',
    key: service.key,
    ...(body && { body }),
    ...options,
  });
async function streamed(path: string, body: object | undefined, options?: Options): Promise<SaidTurn> {
  const { events, complete } = await (await post(path, body, options)).ended();
  expect(complete).toBe(true);
  return turnOf(events);
}
const regenerate = (id: string, messageId: string | undefined, options?: Options) =>
  streamed(`${id}/messages/${messageId}/regenerate`, undefined, options);
const edit = (id: string, messageId: string, content: string, options?: Options) =>
  streamed(`${id}/messages/${messageId}/edit`, { content }, options);
/** The refusal of a request that would begin a branch. */
const refusal = (path: string, body?: object, key?: string) =>
  service.call(`POST /api/v1/conversations/${path}`, { ...(body && { body }), ...(key && { key }) });

const read = async (id: string) => (await service.call(`GET /api/v1/conversations/${id}`)).body;
const contents = async (id: string): Promise<string[]> =>
  (await read(id)).messages.map(({ content }: { content: string }) => content);
const branchesOf = async (id: string, key?: string) => {
  const { status, body } = await service.call(`GET /api/v1/conversations/${id}/branches`, key ? { key } : {});
  expect(status).toBe(200);
  return body as {
    id: string;
    after_message_id: string | null;
    first_message_id: string;
    text: string;
    is_current: boolean;
  }[];
};
const choose = (id: string, branchId: string, key?: string) =>
  service.call(`PATCH /api/v1/conversations/${id}/branches`, {
    body: { branch_id: branchId },
    ...(key && { key }),
  });
const askedLast = () => askedBy(scripted.requests.at(-1)).map(({ content }) => content);

/** Two turns: one, two. */
async function conversation() {
  answerAll();
  const user = { bot_id: botId, external_user_id: randomUUID() };
  const one = await chat.say({ ...user, message: 'one' });
  const two = await chat.say({ ...user, message: 'two' });
  return { user, id: one.conversationId, one, two };
}

describe('a reply that is regenerated', () => {
  it('is answered again in a branch, and the earlier one is put aside', async () => {
    const { user, id, one, two } = await conversation();
    const again = await regenerate(id, two.messageId);
    expect(namesOf(again.events).filter((name) => name !== 'message.delta')).toEqual([
      'conversation.branched',
      'turn.started',
      'message.completed',
      'turn.completed',
    ]);
    const branches = await branchesOf(id);
    expect(branches).toMatchObject([
      { after_message_id: one.messageId, first_message_id: two.userMessageId, is_current: false },
      { after_message_id: one.messageId, first_message_id: again.userMessageId, is_current: true },
    ]);
    expect(again.events[0]?.data).toEqual({
      branch_id: branches[1]?.id,
      after_message_id: one.messageId,
      turn_id: again.turnId,
    });
    expect(await contents(id)).toEqual(['one', one.text, 'two', again.text]);
    expect(again.text).not.toBe(two.text);
    expect(await read(id)).toMatchObject({ message_count: 4, status: 'idle' });
    expect(askedLast()).toEqual(['Be kind.', 'one', one.text, 'two']);

    await chat.say({ ...user, message: 'three' });
    expect(askedLast()).toEqual(['Be kind.', 'one', one.text, 'two', again.text, 'three']);
  });

  it('can be named by its user message, and be the first of the conversation', async () => {
    const { id, one, two } = await conversation();
    const again = await regenerate(id, one.userMessageId);
    expect(await contents(id)).toEqual(['one', again.text]);
    expect(askedLast()).toEqual(['Be kind.', 'one']);
    expect(await branchesOf(id)).toMatchObject([
      { after_message_id: null, first_message_id: one.userMessageId, is_current: false },
      { after_message_id: null, first_message_id: again.userMessageId, is_current: true },
    ]);
    // What is put aside is not one of its messages any more.
    expect((await refusal(`${id}/messages/${two.messageId}/regenerate`)).status).toBe(404);
  });

  it('is asked again after a failure', async () => {
    const user = { bot_id: botId, external_user_id: randomUUID() };
    scripted.respondWith(() => [script.status(400)]);
    const failed = await chat.say({ ...user, message: 'one' });
    expect(failed.last.event).toBe('turn.failed');
    answerAll();
    const again = await regenerate(failed.conversationId, failed.userMessageId);
    expect(again.last.event).toBe('turn.completed');
    expect(await contents(failed.conversationId)).toEqual(['one', again.text]);
  });

  it('works as the turn before it did, not as later ones', async () => {
    answerAll();
    const user = { bot_id: botId, external_user_id: randomUUID() };
    const planned = await chat.say({ ...user, message: 'Plan it.' });
    // As of a bot with a machine, whose later messages have left the plan mode.
    await service.database.acrossWorkspaces.execute(
      sql`update turns set options = '{"is_planning": true}' where id = ${planned.turnId}`,
    );
    await chat.say({ ...user, message: 'Do it.' });
    const again = await regenerate(planned.conversationId, planned.userMessageId);
    const { rows } = await service.database.acrossWorkspaces.execute(
      sql`select options ->> 'is_planning' as planning from turns where id = ${again.turnId}`,
    );
    expect(rows).toEqual([{ planning: 'true' }]);
  });

  it('keeps the greeting of the bot', async () => {
    answerAll();
    const greeter = await chat.bot({ chat_greeting: 'Welcome!' });
    const one = await chat.say({ bot_id: greeter, message: 'one' });
    const again = await regenerate(one.conversationId, one.userMessageId);
    expect(await contents(one.conversationId)).toEqual(['Welcome!', 'one', again.text]);
  });

  it('is the same one if the request is repeated with its key', async () => {
    const { id, two } = await conversation();
    const headers = { 'idempotency-key': randomUUID() };
    const again = await regenerate(id, two.messageId, { headers });
    const repeated = await regenerate(id, two.messageId, { headers });
    expect(repeated.turnId).toBe(again.turnId);
    expect(repeated.events[0]?.event).toBe('conversation.branched');
    expect(await branchesOf(id)).toHaveLength(2);
  });
});

describe('a message that is edited', () => {
  it('begins a branch with its new text, and the title goes with it', async () => {
    const { id, one } = await conversation();
    const edited = await edit(id, one.userMessageId, 'eins');
    expect(await contents(id)).toEqual(['eins', edited.text]);
    expect(await read(id)).toMatchObject({ title: 'eins', message_count: 2 });
    const [before] = await branchesOf(id);
    expect((await choose(id, before?.id ?? '')).status).toBe(200);
    expect(await contents(id)).toHaveLength(4);
    expect(await read(id)).toMatchObject({ title: 'one', message_count: 4 });
  });

  it('must have begun a turn', async () => {
    const { id, one } = await conversation();
    const { status, body } = await refusal(`${id}/messages/${one.messageId}/edit`, { content: 'x' });
    expect([status, body.code, body.details[0].path]).toEqual([400, 'VALIDATION_FAILED', 'message_id']);
    expect((await refusal(`${id}/messages/${one.userMessageId}/edit`, { content: '' })).status).toBe(400);
    const written = await service.call(`POST /api/v1/conversations/${id}/messages`, {
      body: { content: 'Ann here.' },
    });
    const ofPerson = await refusal(`${id}/messages/${written.body.id}/regenerate`);
    expect([ofPerson.status, ofPerson.body.details[0].path]).toEqual([400, 'message_id']);
  });
});

describe('a branch', () => {
  it('can be chosen again, and the conversation continues with it', async () => {
    const { user, id, one, two } = await conversation();
    const again = await regenerate(id, two.messageId);
    const [first, second] = await branchesOf(id);
    const there = await chat.listen(id);
    expect((await choose(id, first?.id ?? '')).body).toEqual({
      message: 'The conversation continues with this branch.',
    });
    expect((await there.until('conversation.branched')).data).toEqual({
      branch_id: first?.id,
      after_message_id: one.messageId,
      turn_id: null,
    });
    there.close();
    expect(await contents(id)).toEqual(['one', one.text, 'two', two.text]);
    await chat.say({ ...user, message: 'three' });
    expect(askedLast()).toEqual(['Be kind.', 'one', one.text, 'two', two.text, 'three']);
    await choose(id, second?.id ?? '');
    expect(await contents(id)).toEqual(['one', one.text, 'two', again.text]);
    // The same once more changes nothing.
    const before = (await read(id)).last_event_id;
    await choose(id, second?.id ?? '');
    expect((await read(id)).last_event_id).toBe(before);
    await choose(id, first?.id ?? '');
    expect((await contents(id)).slice(-2)[0]).toBe('three');
  });

  it('of a branch that is put aside is there again with it', async () => {
    const { id, one, two } = await conversation();
    const again = await regenerate(id, two.messageId);
    const eins = await edit(id, one.userMessageId, 'eins');
    const branches = await branchesOf(id);
    expect(branches.map(({ after_message_id: after }) => after)).toEqual([
      null,
      one.messageId,
      one.messageId,
      null,
    ]);
    const [whole, old, current, edited] = branches;
    const refused = await choose(id, old?.id ?? '');
    expect([refused.status, refused.body.code]).toEqual([409, 'BRANCH_REFUSED']);
    await choose(id, whole?.id ?? '');
    expect(await contents(id)).toEqual(['one', one.text, 'two', again.text]);
    expect(current?.is_current).toBe(true);
    await choose(id, old?.id ?? '');
    expect(await contents(id)).toEqual(['one', one.text, 'two', two.text]);
    await choose(id, edited?.id ?? '');
    expect(await contents(id)).toEqual(['eins', eins.text]);
  });

  it('goes with what it follows when the conversation is truncated', async () => {
    const { id, one, two } = await conversation();
    await edit(id, two.userMessageId, 'zwei-secret');
    await edit(id, (await read(id)).messages[2].id, 'drei');
    await service.call(`POST /api/v1/conversations/${id}/truncate`, { body: { message_id: one.messageId } });
    expect(await branchesOf(id)).toEqual([]);
    const { rows } = await service.database.acrossWorkspaces.execute(
      sql`select m::text as found from messages m where conversation_id = ${id}
          union all select e::text from events e where conversation_id = ${id}`,
    );
    expect(JSON.stringify(rows)).not.toContain('two');
    expect(JSON.stringify(rows)).not.toContain('secret');
  });

  it('that is put aside is found by no reader of the conversation', async () => {
    const { user, id, two } = await conversation();
    const secret = 'aardvark-put-aside';
    const edited = await edit(id, two.userMessageId, secret);
    await edit(id, edited.userMessageId, 'two');
    const person = await makePerson(service, { userId: user.external_user_id });
    for (const [path, key] of [
      [`conversations/${id}`],
      [`conversations?external_user_id=${user.external_user_id}`],
      [`conversations/${id}`, person.token],
      [`conversations/${id}/truncate-preview?message_id=${two.userMessageId}`],
    ]) {
      const { body } = await service.call(`GET /api/v1/${path}`, key ? { key } : {});
      expect(JSON.stringify(body)).not.toContain(secret);
    }
    const member = await makeMember(service, { role: 'operator' });
    for (const path of [`/${id}`, `?q=${secret}`, `?q=${user.external_user_id}`]) {
      const { status: code, body } = await member.call(`GET /api/console/conversations${path}`);
      expect(code).toBe(200);
      expect(JSON.stringify({ ...body, branches: [] })).not.toContain(secret);
    }
    await chat.say({ ...user, message: 'three' });
    expect(JSON.stringify(scripted.requests.at(-1))).not.toContain(secret);
    expect(JSON.stringify(await branchesOf(id))).toContain(secret);
  });
});

describe('what lists and exports show', () => {
  it('is of the current branch', async () => {
    const { id, two } = await conversation();
    scripted.respondWith(() => [script.status(400)]);
    await regenerate(id, two.messageId);
    answerAll();
    const member = await makeMember(service, { role: 'operator' });
    const statusOf = async () => {
      const { body } = await member.call(`GET /api/console/conversations?q=${id}`);
      return body[0].latest_turn_status;
    };
    expect(await statusOf()).toBe('failed');
    const [first] = await branchesOf(id);
    await choose(id, first?.id ?? '');
    expect(await statusOf()).toBe('completed');
    const exported = await member.call(`GET /api/console/conversations/export?q=${id}&format=ndjson`);
    expect(JSON.stringify(exported.body).match(/two/g)).toHaveLength(2);
  });

  it('is not touched by a truncation in another branch', async () => {
    const { id, one } = await conversation();
    const eins = await edit(id, one.userMessageId, 'eins');
    const [first, edited] = await branchesOf(id);
    await choose(id, first?.id ?? '');
    await service.call(`POST /api/v1/conversations/${id}/truncate`, { body: { message_id: one.messageId } });
    await choose(id, edited?.id ?? '');
    expect(await contents(id)).toEqual(['eins', eins.text]);
    const { steps } = (await service.call(`GET /api/v1/conversations/${id}/trace`)).body;
    expect(steps.map((step: { turn_id: string }) => step.turn_id)).toContain(eins.turnId);
  });
});

describe('a branch is refused', () => {
  it('while a turn is not over, and a choice too', async () => {
    const { user, id, two } = await conversation();
    await regenerate(id, two.messageId);
    const [first] = await branchesOf(id);
    scripted.respondWith(() => [script.text('So far'), { type: 'hang' }]);
    const reader = await chat.send({ ...user, message: 'three' });
    await reader.until('turn.started');
    const { messages } = await read(id);
    for (const answer of [
      await refusal(`${id}/messages/${messages[0].id}/regenerate`),
      await choose(id, first?.id ?? ''),
    ])
      expect([answer.status, answer.body.code]).toEqual([409, 'TURN_IN_PROGRESS']);
    await service.call('POST /api/v1/chat/stop', { body: { conversation_id: id } });
    await reader.ended();
  });

  it('while the conversation waits for a person', async () => {
    const { id, two } = await conversation();
    await regenerate(id, two.messageId);
    const [first] = await branchesOf(id);
    await service.call(`PATCH /api/v1/conversations/${id}`, { body: { needs_human: { reason: 'Mine.' } } });
    const { messages } = await read(id);
    for (const answer of [
      await refusal(`${id}/messages/${messages[0].id}/regenerate`),
      await choose(id, first?.id ?? ''),
    ])
      expect([answer.status, answer.body.code]).toEqual([409, 'BRANCH_REFUSED']);
  });

  it('where a person of the team has written', async () => {
    const { id, one, two } = await conversation();
    await regenerate(id, two.messageId);
    const [first] = await branchesOf(id);
    await service.call(`POST /api/v1/conversations/${id}/messages`, { body: { content: 'No refund.' } });
    for (const answer of [
      await refusal(`${id}/messages/${one.userMessageId}/regenerate`),
      await choose(id, first?.id ?? ''),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([409, 'BRANCH_REFUSED']);
      expect(answer.body.message).toContain('A person of the team');
    }
    expect((await contents(id)).at(-1)).toBe('No refund.');
  });

  it('above a hundred', async () => {
    const { id, two } = await conversation();
    let last = await regenerate(id, two.messageId);
    const [, current] = await branchesOf(id);
    const more = sql`select gen_random_uuid(), workspace_id, conversation_id, after_message_id, first_message_id, false, now()
      from conversation_branches, generate_series(1, 97) where id = ${current?.id}`;
    await service.database.acrossWorkspaces.execute(sql`insert into conversation_branches ${more}`);
    const elsewhere = await refusal(`${id}/messages/${(await read(id)).messages[0].id}/regenerate`);
    expect(elsewhere.body.message).toBe('A conversation has at most 100 branches.');
    last = await regenerate(id, last.messageId);
    expect(await branchesOf(id)).toHaveLength(100);
    expect((await refusal(`${id}/messages/${last.messageId}/regenerate`)).status).toBe(409);
    expect(await contents(id)).toHaveLength(4);
  });

  it('to other workspaces, keys without the ability and other end users', async () => {
    const { user, id, two } = await conversation();
    const again = await regenerate(id, two.messageId);
    const [first] = await branchesOf(id);
    const { key } = await service.makeWorkspace();
    const reader = await service.makeKey({ abilities: ['conversations:read'] });
    const writer = await service.makeKey({ abilities: ['chat:write'] });
    const stranger = await makePerson(service);
    const path = `${id}/messages/${again.messageId}/regenerate`;
    const body = { content: 'x' };
    const statuses = async (caller: string) => [
      (await refusal(path, undefined, caller)).status,
      (await refusal(`${id}/messages/${again.userMessageId}/edit`, body, caller)).status,
      (await choose(id, first?.id ?? '', caller)).status,
      (await service.call(`GET /api/v1/conversations/${id}/branches`, { key: caller })).status,
    ];
    expect(await statuses(key)).toEqual([404, 404, 404, 404]);
    expect(await statuses(stranger.token)).toEqual([404, 404, 404, 404]);
    expect(await statuses(reader)).toEqual([403, 403, 403, 200]);
    expect((await service.call(`GET /api/v1/conversations/${id}/branches`, { key: writer })).status).toBe(
      403,
    );
    const other = await conversation();
    expect((await refusal(`${other.id}/messages/${again.messageId}/regenerate`)).status).toBe(404);
    expect((await choose(other.id, first?.id ?? '')).status).toBe(404);

    // Its own user may.
    const person = await makePerson(service, { userId: user.external_user_id });
    expect(await branchesOf(id, person.token)).toHaveLength(2);
    expect((await choose(id, first?.id ?? '', person.token)).status).toBe(200);
    const mine = await regenerate(id, two.userMessageId, { key: person.token });
    expect(mine.events[0]?.data).toMatchObject({ branch_id: expect.any(String) });
    expect(JSON.stringify(mine.events)).not.toContain('cost_usd');
  });

  it('counts as a message of an end user', async () => {
    answerAll();
    const person = await makePerson(service, { max_messages_per_hour: 1 });
    const one = await sayAs(service, person, { bot_id: botId, message: 'one' });
    const path = `${one.conversationId}/messages/${one.userMessageId}/regenerate`;
    expect((await refusal(path, undefined, person.token)).status).toBe(429);
    // A choice does too: everybody who looks at the conversation reads it again.
    await regenerate(one.conversationId, one.userMessageId);
    const [first] = await branchesOf(one.conversationId);
    expect((await choose(one.conversationId, first?.id ?? '', person.token)).status).toBe(429);
  });
});

describe('what tools have done outside', () => {
  it('is not put aside, where a model could do it again', async () => {
    const { botId: refunder } = await desk.makeBot({}, { approval: 'never' });
    const calls = [{ name: 'refund', arguments: { ...refund } }];
    scripted.respondWith((request) =>
      askedBy(request).at(-1)?.role === 'tool' ? [script.text('Done.')] : [script.toolCalls(calls)],
    );
    const person = await makePerson(service);
    const said = await sayAs(service, person, { bot_id: refunder, message: 'Refund me.' });
    const refunds = shop.refunds.length;
    const path = `${said.conversationId}/messages/${said.userMessageId}/regenerate`;
    for (const key of [service.key, person.token]) {
      const { status, body } = await refusal(path, undefined, key);
      expect([status, body.code]).toEqual([409, 'BRANCH_REFUSED']);
      // Tools are nothing that end users know of.
      expect(body.message.includes('refund')).toBe(key === service.key);
    }
    expect(await contents(said.conversationId)).toHaveLength(4);
    expect(shop.refunds).toHaveLength(refunds);
  });

  it('is not put aside by a choice either', async () => {
    const { botId: refunder } = await desk.makeBot({}, { approval: 'never' });
    scripted.respondWith(() => [script.text('Which order?')]);
    const person = await makePerson(service);
    const said = await sayAs(service, person, { bot_id: refunder, message: 'Refund me.' });
    const calls = [{ name: 'refund', arguments: { ...refund } }];
    scripted.respondWith((request) =>
      askedBy(request).at(-1)?.role === 'tool' ? [script.text('Done.')] : [script.toolCalls(calls)],
    );
    const before = shop.refunds.length;
    await regenerate(said.conversationId, said.userMessageId, { key: person.token });
    expect(shop.refunds).toHaveLength(before + 1);
    const [first] = await branchesOf(said.conversationId);
    const { status, body } = await choose(said.conversationId, first?.id ?? '', person.token);
    expect([status, body.code]).toEqual([409, 'BRANCH_REFUSED']);
    expect(body.message).not.toContain('refund');
  });
});
