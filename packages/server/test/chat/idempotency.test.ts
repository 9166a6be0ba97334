import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { chatWith, durable, idsOf, namesOf, previewOf, scriptedEnvironment } from '../support/chat.ts';
import { type HandPlayedModel, startHandPlayedModel } from '../support/hand-played-model.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let played: HandPlayedModel;
let service: TestApp;
let botId: string;
const chat = chatWith(() => service);
beforeAll(async () => {
  played = await startHandPlayedModel();
  service = await startTestApp({ environment: scriptedEnvironment(played) });
  botId = await chat.bot();
});
afterAll(async () => {
  await service.stop();
  await played.close();
});

const message = () => ({ bot_id: botId, message: 'Once, please.', external_user_id: randomUUID() });
const options = (key: string) => ({ headers: { 'idempotency-key': key } });

async function countTurns(conversationId: string): Promise<number> {
  const { rows } = await service.database.acrossWorkspaces.execute<{ count: number }>(
    sql`select count(*)::int as count from turns where conversation_id = ${conversationId}`,
  );
  return rows[0]?.count ?? 0;
}

it('a repeat during the turn joins it, a repeat after it gets the same events', async () => {
  const [body, key] = [message(), options(randomUUID())];
  const first = await chat.send(body, key);
  const model = await played.next();
  model.write('One', ' two');
  await first.until(({ event, data }) => event === 'message.delta' && data.offset + data.text.length === 7);

  const during = await chat.send(body, key);
  const snapshot = await during.until('stream.snapshot');
  expect(snapshot.data.text).toBe('One two');
  model.write(' three');
  model.finish();
  const [whole, joined] = [await first.ended(), await during.ended()];
  expect(durable(joined.events)).toEqual(durable(whole.events));
  expect(namesOf(durable(whole.events))).toEqual(['turn.started', 'message.completed', 'turn.completed']);
  expect([...previewOf(joined.events).values()]).toEqual(['One two three']);

  const after = await (await chat.send(body, key)).ended();
  expect(after).toEqual({ complete: true, events: durable(whole.events) });
  const { conversation_id: conversationId } = whole.events[0]?.data ?? {};
  expect(await countTurns(conversationId)).toBe(1);
});

it('a repeat, and a reader of the unfinished turn, begin with the greeting', async () => {
  const greeter = await chat.bot({ chat_greeting: 'Welcome.' });
  const [body, key] = [{ ...message(), bot_id: greeter }, options(randomUUID())];
  const first = await chat.send(body, key);
  const model = await played.next();
  const greeting = await first.until('message.completed');
  expect(greeting).toMatchObject({ id: 1, data: { message: { content: 'Welcome.' } } });
  const { data } = await first.until('turn.started');
  const during = await chat.send(body, key);
  const follower = await chat.listen(data.conversation_id);
  expect(await during.until('message.completed')).toEqual(greeting);
  expect(await follower.until('message.completed')).toEqual(greeting);
  follower.close();
  model.write('Yes.');
  model.finish();
  const whole = durable((await first.ended()).events);
  expect(idsOf(whole)).toEqual([1, 2, 3, 4]);
  expect(durable((await during.ended()).events)).toEqual(whole);
  expect((await (await chat.send(body, key)).ended()).events).toEqual(whole);
});

it('a repeat gets its own turn’s events, not those of later ones', async () => {
  const [body, key] = [message(), options(randomUUID())];
  const first = await chat.send(body, key);
  (await played.next()).finish();
  const { events } = await first.ended();
  const later = await chat.send(body, options(randomUUID()));
  const model = await played.next();
  const repeat = await (await chat.send(body, key)).ended();
  expect(repeat).toEqual({ complete: true, events: durable(events) });
  model.finish();
  expect(idsOf((await later.ended()).events)).toEqual([4, 5, 6]);
});

it('a repeat with Last-Event-ID gets what came after it, and nothing twice', async () => {
  const [body, key] = [message(), options(randomUUID())];
  const after = (id: number | string) => ({ headers: { ...key.headers, 'last-event-id': String(id) } });
  const first = await chat.send(body, key);
  const model = await played.next();
  model.write('One');
  await first.until('message.delta');

  // An id beyond the log counts as the newest, as on chat/stream.
  const [during, beyond] = [await chat.send(body, after(1)), await chat.send(body, after(1_000_000))];
  for (const reader of [during, beyond]) {
    expect((await reader.until('stream.snapshot')).data.text).toBe('One');
  }
  model.write(' two');
  model.finish();
  const whole = durable((await first.ended()).events);
  expect(idsOf(whole)).toEqual([1, 2, 3]);
  for (const reader of [during, beyond]) {
    const { events, complete } = await reader.ended();
    expect({ complete, events: durable(events) }).toEqual({ complete: true, events: whole.slice(1) });
    expect([...previewOf(events).values()]).toEqual(['One two']);
  }

  // When the turn is over, the stream ends even if nothing is left to send.
  for (const seen of [0, 1, 2, 3, 1_000_000]) {
    const repeat = await (await chat.send(body, after(seen))).ended();
    expect(repeat, `after ${seen}`).toEqual({ complete: true, events: whole.slice(seen) });
  }
  const malformed = await chat.send(body, after('three'));
  expect(malformed.error).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ path: 'Last-Event-ID' }] });
  expect(await countTurns(whole[0]?.data.conversation_id)).toBe(1);
});

it('a repeat with another body is refused', async () => {
  const [body, key] = [message(), options(randomUUID())];
  const first = await chat.send(body, key);
  const other = await chat.send({ ...body, message: 'Twice!' }, key);
  expect([other.status, other.error.code]).toEqual([409, 'IDEMPOTENCY_MISMATCH']);
  (await played.next()).finish();
  await first.ended();
});

it('of ten concurrent sends exactly one begins the turn; the others join it or are asked to retry', async () => {
  const [body, key] = [message(), options(randomUUID())];
  const answers = await Promise.all(Array.from({ length: 10 }, () => chat.send(body, key)));
  for (const { status, error } of answers) {
    expect([200, 'IDEMPOTENCY_IN_PROGRESS']).toContain(status === 200 ? status : error.code);
  }
  (await played.next()).finish();
  const streams = answers.filter(({ status }) => status === 200);
  expect(streams.length).toBeGreaterThan(0);
  const all = await Promise.all(streams.map(async (stream) => durable((await stream.ended()).events)));
  for (const events of all) expect(events).toEqual(all[0]);
  expect(await countTurns(all[0]?.[0]?.data.conversation_id)).toBe(1);
});

it('a refused turn frees the key', async () => {
  const body = message();
  const running = await chat.send(body);
  const key = options(randomUUID());
  expect((await chat.send(body, key)).error.code).toBe('TURN_IN_PROGRESS');
  (await played.next()).finish();
  await running.ended();
  const again = await chat.send(body, key);
  expect(again.status).toBe(200);
  (await played.next()).finish();
  expect((await again.ended()).events.at(-1)?.event).toBe('turn.completed');
});

it('a repeat for a turn that was truncated away ends with a gap event', async () => {
  const [body, key] = [message(), options(randomUUID())];
  const before = await chat.send(body);
  (await played.next()).finish();
  const { conversation_id: id, user_message: kept } = (await before.ended()).events[0]?.data ?? {};
  const first = await chat.send(body, key);
  (await played.next()).finish();
  await first.ended();
  const cut = await service.call(`POST /api/v1/conversations/${id}/truncate`, {
    body: { message_id: kept.id },
  });
  expect(cut.status).toBe(200);
  const repeat = await (await chat.send(body, key)).ended();
  expect(repeat.complete).toBe(true);
  expect(namesOf(repeat.events)).toEqual(['stream.gap']);
});

it('a repeat for a turn whose end was truncated away ends too', async () => {
  const [body, key] = [message(), options(randomUUID())];
  const first = await chat.send(body, key);
  (await played.next()).finish();
  const { events } = await first.ended();
  const { conversation_id: id, user_message: kept } = events[0]?.data ?? {};
  await service.call(`POST /api/v1/conversations/${id}/truncate`, { body: { message_id: kept.id } });
  const repeat = await (await chat.send(body, key)).ended();
  expect(namesOf(repeat.events)).toEqual(['turn.started', 'stream.gap']);
  expect(repeat.events[0]).toEqual(events[0]);
  for (const [seen, names] of [
    [1, ['stream.gap']],
    [3, []],
    [4, []],
  ] as const) {
    const headers = { ...key.headers, 'last-event-id': String(seen) };
    const rest = await (await chat.send(body, { headers })).ended();
    expect({ complete: rest.complete, names: namesOf(rest.events) }).toEqual({ complete: true, names });
  }
});
