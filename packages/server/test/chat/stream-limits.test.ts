import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { chatWith, eventually, idsOf, scriptedEnvironment, upTo } from '../support/chat.ts';
import { type HandPlayedModel, startHandPlayedModel } from '../support/hand-played-model.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let played: HandPlayedModel;
let service: TestApp;
let botId: string;
let now = new Date();
const chat = chatWith(() => service);
beforeAll(async () => {
  played = await startHandPlayedModel();
  // The test triggers the service's intervals (heartbeat, expired keys).
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const environment = scriptedEnvironment(played);
  service = await startTestApp({ environment, clock: { now: () => now }, isAlone: true });
  botId = await chat.bot();
});
afterAll(async () => {
  await service.stop();
  vi.useRealTimers();
  await played.close();
});

async function conversation(message = 'hello') {
  const user = { external_user_id: randomUUID(), bot_id: botId };
  const sent = await chat.send({ ...user, message });
  (await played.next()).finish();
  const { conversation_id: id } = (await sent.ended()).events[0]?.data ?? {};
  return { id: id as string, ...user };
}

async function revoke(key: string): Promise<void> {
  await service.database.acrossWorkspaces.transaction(async (tx) => {
    const { rows } = await tx.execute<{ id: string }>(
      sql`update account_keys set revoked_at = now() where hint = ${key.slice(-4)} returning id`,
    );
    await tx.execute(sql`select pg_notify('svc_key_revoked', ${rows[0]?.id ?? ''})`);
  });
}

/** Runs every interval once, one after another. */
async function passTime(milliseconds: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += 1_000) {
    vi.advanceTimersByTime(1_000);
    await new Promise(setImmediate);
  }
}

it('sends a comment line every 15 seconds, to readers and senders', async () => {
  const { id, ...user } = await conversation();
  const [reader, sender] = [await chat.listen(id), await chat.send(user)];
  const model = await played.next();
  await passTime(15_000);
  await eventually(() => [reader.comments, sender.comments]).toEqual([1, 1]);
  await passTime(15_000);
  await eventually(() => [reader.comments, sender.comments]).toEqual([2, 2]);
  model.finish();
  await sender.ended();
  reader.close();
});

it('a revoked key ends its streams immediately, and nothing else', async () => {
  const { id, ...user } = await conversation();
  const key = await service.makeKey();
  const sender = await chat.send(user, { key });
  const model = await played.next();
  const reader = await chat.listen(id, { key });
  const other = await chat.listen(id);
  await revoke(key);
  expect(await reader.ended()).toMatchObject({ complete: true });
  expect(await sender.ended()).toMatchObject({ complete: true });
  model.write('Still here.');
  model.finish();
  // The turn continues.
  await other.until('turn.completed');
  expect((await chat.listen(id, { key })).status).toBe(401);
  other.close();
});

it('a key that expires ends its streams', async () => {
  const { id } = await conversation();
  const before = now;
  const key = await service.makeKey({ expiresAt: new Date(now.getTime() + 60_000) });
  const reader = await chat.listen(id, { key });
  const other = await chat.listen(id);
  now = new Date(now.getTime() + 60_000);
  await passTime(30_000);
  expect(await reader.ended()).toMatchObject({ complete: true });
  now = before;
  await eventually(() => other.comments).toBe(2);
  other.close();
});

it('a reader that never reads is cut off, and can resume', async () => {
  const { id, ...user } = await conversation();
  const sender = await chat.send(user);
  const model = await played.next();
  const stuck = await chat.listen(id, { after: 3 });
  await stuck.until('turn.started');
  stuck.pause();
  const piece = 'x'.repeat(64 * 1024);
  // Far more than the kernel's buffers and ours hold. The sender keeps up.
  for (let count = 1; count <= 400; count += 1) {
    model.write(piece);
    const written = count * piece.length;
    if (count % 4 === 0) await sender.until(({ data }) => data.offset + data.text?.length === written);
  }
  model.finish();
  expect((await sender.ended()).complete).toBe(true);
  stuck.resume();
  expect(await stuck.ended()).toMatchObject({ complete: false });
  expect(stuck.events.length).toBeLessThan(sender.events.length);
  const resumed = await chat.listen(id, { lastEventId: Math.max(...idsOf(stuck.events)) });
  const { data } = await resumed.until('message.completed');
  await resumed.until('turn.completed');
  expect(data.message.content.length).toBe(400 * piece.length);
  resumed.close();
});

it('a long log is replayed whole to a reader that reads', async () => {
  const { id } = await conversation();
  const long = 'All work and no play. '.repeat(500);
  await service.database.acrossWorkspaces.execute(
    sql`select append_events(${id}::uuid, null, json_build_array(json_build_object(
          'type', 'message.operator', 'data', json_build_object('text', ${long}::text))), null, 0)
        from generate_series(4, 1200)`,
  );
  const reader = await chat.listen(id, { after: 0 });
  await reader.until(({ id: number }) => number === 1_200);
  expect(idsOf(reader.events)).toEqual(upTo(1_200));
  reader.close();
});

describe('a reader that the heartbeat finds behind', () => {
  /** More than the kernel's buffers hold, so that the rest waits in ours. */
  async function listenBehind() {
    const { id } = await conversation();
    await service.database.acrossWorkspaces.execute(
      sql`select append_events(${id}::uuid, null, json_build_array(json_build_object(
            'type', 'message.operator', 'data', json_build_object('text', repeat('x', 300000)))), null, 0)
          from generate_series(4, 120)`,
    );
    const reader = await chat.listen(id, { after: 0 });
    await reader.until(({ id: number }) => number === 1);
    reader.pause();
    await passTime(15_000);
    return { id, reader };
  }

  it('continues if it reads', async () => {
    const { reader } = await listenBehind();
    reader.resume();
    await reader.until(({ id: number }) => number === 120);
    expect(idsOf(reader.events)).toEqual(upTo(120));
    reader.close();
  });

  it('is disconnected if it took nothing by the next one, and resumes', async () => {
    const { id, reader: stuck } = await listenBehind();
    await passTime(15_000);
    stuck.resume();
    expect(await stuck.ended()).toMatchObject({ complete: false });
    const seen = idsOf(stuck.events);
    expect(seen).toEqual(upTo(seen.length));
    expect(seen.length).toBeLessThan(120);
    const resumed = await chat.listen(id, { lastEventId: seen.length });
    await resumed.until(({ id: number }) => number === 120);
    expect([...seen, ...idsOf(resumed.events)]).toEqual(upTo(120));
    resumed.close();
  });
});
