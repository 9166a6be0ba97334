import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { text } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { askedBy, chatWith, idsOf, namesOf, type SaidTurn, scriptedEnvironment } from '../support/chat.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let scripted: ScriptedModel;
let service: TestApp;
let botId: string;
const chat = chatWith(() => service);
beforeAll(async () => {
  scripted = await startScriptedModel();
  scripted.respondWith((request) => [text(`Reply to ${askedBy(request).at(-1)?.content}`)]);
  service = await startTestApp({ environment: scriptedEnvironment(scripted) });
  botId = await chat.bot({ enable_agent_tracing: true });
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
});

const truncate = (id: string, messageId: string, key?: string) =>
  service.call(`POST /api/v1/conversations/${id}/truncate`, {
    body: { message_id: messageId },
    ...(key && { key }),
  });
const read = async (id: string) => (await service.call(`GET /api/v1/conversations/${id}`)).body;
const contents = async (id: string): Promise<string[]> =>
  (await read(id)).messages.map(({ content }: { content: string }) => content);

/** Three turns: one, two, three. */
async function conversation() {
  const user = { bot_id: botId, external_user_id: randomUUID() };
  const turns: SaidTurn[] = [];
  for (const message of ['one', 'two-secret', 'three-secret'])
    turns.push(await chat.say({ ...user, message }));
  const [one, two, three] = turns as [SaidTurn, SaidTurn, SaidTurn];
  return { user, id: one.conversationId, one, two, three };
}

it('removes messages, events and trace after a reply, and the conversation continues from there', async () => {
  const { user, id, one } = await conversation();
  expect(await truncate(id, one.messageId ?? '')).toMatchObject({
    status: 200,
    body: {
      message: expect.any(String),
      removed_messages: 4,
      cancelled_approvals: 0,
      executed_tool_calls: [],
    },
  });
  expect(await contents(id)).toEqual(['one', 'Reply to one']);
  expect(await read(id)).toMatchObject({ message_count: 2, status: 'idle' });
  const { body: trace } = await service.call(`GET /api/v1/conversations/${id}/trace`);
  expect(trace.steps.map((step: { turn_id: string }) => step.turn_id)).toEqual([one.turnId]);
  const log = await chat.log(id);
  expect(log.map(({ id: number, event }) => [number, event])).toEqual([
    [1, 'turn.started'],
    [2, 'message.completed'],
    [10, 'conversation.truncated'],
  ]);
  expect(log.at(-1)?.data).toEqual({ after_message_id: one.messageId });
  const next = await chat.say({ ...user, message: 'four' });
  expect(idsOf(next.events)).toEqual([11, 12, 13]);
  const asked = askedBy(scripted.requests.at(-1)).map(({ content }) => content);
  expect(asked).toEqual(['Be kind.', 'one', 'Reply to one', 'four']);
});

it('leaves nothing of the text anywhere', async () => {
  const { id, one } = await conversation();
  await truncate(id, one.userMessageId);
  expect(await contents(id)).toEqual(['one']);
  const { rows } = await service.database.acrossWorkspaces.execute(
    sql`select m::text as found from messages m where conversation_id = ${id}
        union all select e::text from events e where conversation_id = ${id}
        union all select s::text from trace_steps s where conversation_id = ${id}
        union all select c::text from conversations c where id = ${id}
        union all select t::text from turns t where conversation_id = ${id}`,
  );
  expect(JSON.stringify(rows)).toContain('one');
  expect(JSON.stringify(rows)).not.toContain('secret');
  expect(JSON.stringify(rows)).not.toContain('Reply to');
});

it("removes people's messages too, and can keep up to one", async () => {
  const { user, id, one } = await conversation();
  const write = async (content: string): Promise<string> =>
    (await service.call(`POST /api/v1/conversations/${id}/messages`, { body: { content } })).body.id;
  const kept = await write('Ann here.');
  await write('operator-secret');
  await chat.say({ ...user, message: 'four-secret' });
  expect((await truncate(id, kept)).body).toMatchObject({ removed_messages: 3 });
  expect((await contents(id)).slice(-2)).toEqual(['Reply to three-secret', 'Ann here.']);
  await chat.say({ ...user, message: 'five' });
  const asked = JSON.stringify(askedBy(scripted.requests.at(-1)));
  expect(asked).toContain('Ann here.');
  expect(asked).not.toContain('operator-secret');

  await truncate(id, one.messageId ?? '');
  await chat.say({ ...user, message: 'six' });
  await chat.say({ ...user, message: 'seven' });
  expect(JSON.stringify(askedBy(scripted.requests.at(-1)))).not.toContain('Ann here.');
  expect((await contents(id)).slice(0, 3)).toEqual(['one', 'Reply to one', 'six']);
});

it('after the last message removes nothing and is announced anyway', async () => {
  const { id, three } = await conversation();
  expect((await truncate(id, three.messageId ?? '')).body.removed_messages).toBe(0);
  expect((await read(id)).message_count).toBe(6);
  expect((await chat.log(id)).at(-1)).toMatchObject({ id: 10, event: 'conversation.truncated' });
});

it('notifies a connected reader, and sends a gap to one that resumes from a removed event', async () => {
  const { user, id, two } = await conversation();
  const there = await chat.listen(id, { lastEventId: 9 });
  await truncate(id, two.userMessageId);
  expect(await there.until('conversation.truncated')).toEqual({
    id: 10,
    event: 'conversation.truncated',
    data: { after_message_id: two.userMessageId },
  });
  expect(namesOf(there.events)).toEqual(['conversation.truncated']);
  await chat.say(user);
  await there.until('turn.completed');
  expect(idsOf(there.events)).toEqual([10, 11, 12, 13]);
  there.close();

  const gap = (from: number) => ({
    event: 'stream.gap',
    data: { from, to: 9, conversation_url: `/api/v1/conversations/${id}` },
  });
  for (const [lastEventId, expected] of [
    [3, [4, gap(5), 10]],
    [4, [gap(5), 10]],
    [6, [gap(7), 10]],
    [8, [gap(9), 10]],
    [9, [10]],
    [10, []],
  ] as const) {
    const reader = await chat.listen(id, { lastEventId });
    await reader.until(({ id: number }) => number === 13);
    expect(reader.events.map((event) => event.id ?? event)).toEqual([...expected, 11, 12, 13]);
    reader.close();
  }
});

it('can be repeated: ids are never reused', async () => {
  const { user, id, one } = await conversation();
  const seen = new Set<number>(idsOf(await chat.log(id)));
  for (let round = 0; round < 4; round += 1) {
    await truncate(id, one.userMessageId);
    const said = await chat.say(user);
    for (const number of idsOf(said.events)) {
      expect(seen.has(number)).toBe(false);
      seen.add(number);
    }
    expect(Math.max(...idsOf(await chat.log(id)))).toBe(9 + 4 * (round + 1));
  }
  expect((await read(id)).message_count).toBe(3);
});

it('a message that is not there, or of another conversation or workspace, is 404', async () => {
  const [mine, other] = [await conversation(), await conversation()];
  const { key } = await service.makeWorkspace();
  for (const answer of [
    await truncate(mine.id, randomUUID()),
    await truncate(mine.id, other.one.userMessageId),
    await truncate(randomUUID(), mine.one.userMessageId),
    await truncate(mine.id, mine.one.userMessageId, key),
  ]) {
    expect([answer.status, answer.body.code]).toEqual([404, 'NOT_FOUND']);
  }
  const reader = await service.makeKey({ abilities: ['conversations:read'] });
  expect((await truncate(mine.id, mine.one.userMessageId, reader)).status).toBe(403);
  expect((await read(mine.id)).message_count).toBe(6);
});

it('many concurrent truncations do not exhaust the connections', async () => {
  const { id, one } = await conversation();
  const answers = await Promise.all(Array.from({ length: 30 }, () => truncate(id, one.userMessageId)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(answers.map(({ body }) => body.removed_messages).toSorted()).toEqual([
    ...Array.from({ length: 29 }, () => 0),
    5,
  ]);
  const log = await chat.log(id);
  expect(log.filter(({ event }) => event === 'conversation.truncated')).toHaveLength(1);
});
