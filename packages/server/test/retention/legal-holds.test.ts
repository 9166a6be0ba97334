import { randomUUID } from 'node:crypto';
import { retentionKinds } from '@svc/contract/retention';
import { describe, expect, it } from 'vitest';
import { lockForDeletion, whileDeleting } from '../../src/database/deletion-lock.ts';
import { sql } from '../../src/database/drizzle.ts';
import { makeCall } from '../support/make-call.ts';
import { countWaitingForLocks } from '../support/waiting-for-locks.ts';
import { deleteExpired } from './delete-expired.ts';
import { clock, day, secondsBefore, useRetention } from './use-retention.ts';

const { age, answerTo, call, count, keep, lastRound, place, run, say, service, statusOf } = useRetention();
const none = Object.fromEntries(retentionKinds.map((kind) => [kind, 0]));
const hold = (of: object = {}) => call('POST /api/v1/legal-holds', { reason: 'Case 118', ...of });
const isHeld = { status: 409, body: { code: 'LEGAL_HOLD' } };

it('a hold says whom it keeps, why, and who placed it, until it is released', async () => {
  const conversationId = await say();
  const placed = [
    await hold(),
    await hold({ external_user_id: 'ada' }),
    await hold({ conversation_id: conversationId }),
  ];
  expect(await call('GET /api/v1/legal-holds')).toEqual(placed);
  expect(placed.map((one) => [one.external_user_id, one.conversation_id])).toEqual([
    [null, null],
    ['ada', null],
    [null, conversationId],
  ]);
  expect(placed[0]).toMatchObject({ reason: 'Case 118', created_by: { type: 'key', name: 'test' } });
  await call(`DELETE /api/v1/legal-holds/${placed[1].id}`);
  expect((await answerTo(`DELETE /api/v1/legal-holds/${placed[1].id}`)).status).toBe(404);
  expect(await call('GET /api/v1/legal-holds')).toEqual([placed[0], placed[2]]);
  const entries = await call('GET /api/v1/audit?action=legal_hold');
  expect(
    entries.map(({ action, object }: { action: string; object: { id: string } }) => [action, object.id]),
  ).toEqual([
    ['legal_hold.released', placed[1].id],
    ['legal_hold.placed', placed[2].id],
    ['legal_hold.placed', placed[1].id],
    ['legal_hold.placed', placed[0].id],
  ]);
  // Entries outlive people.
  expect(JSON.stringify(entries)).not.toContain('"ada"');
});

it.each([
  ['both', { external_user_id: 'ada', conversation_id: randomUUID(), reason: 'x' }, 'conversation_id'],
  ['no reason', {}, 'reason'],
  ['a blank reason', { reason: ' ' }, 'reason'],
])('refuses %s, naming the field', async (_, body, field) => {
  const answer = await answerTo('POST /api/v1/legal-holds', body);
  expect(answer.status).toBe(400);
  expect(answer.body.details[0].path).toContain(field);
});

it("finds no conversation of another workspace, and needs the right to change one's own", async () => {
  const foreign = await service().makeWorkspace();
  const id = await say();
  const body = { conversation_id: id, reason: 'x' };
  expect((await service().call('POST /api/v1/legal-holds', { key: foreign.key, body })).status).toBe(404);
  const { workspaceId } = place;
  const key = await service().makeKey({ workspaceId, abilities: ['workspace:read', 'conversations:write'] });
  expect((await service().call('POST /api/v1/legal-holds', { key, body })).status).toBe(403);
  expect((await service().call('GET /api/v1/legal-holds', { key })).body).toEqual([]);
});

describe.each([
  ['the person', () => ({ external_user_id: 'ada' })],
  ['the conversation', (id: string) => ({ conversation_id: id })],
  ['the workspace', () => ({})],
])('a hold of %s', (_, of) => {
  it('is in the way of each request that deletes, and of none once it is released', async () => {
    const id = await say();
    const first = (await call(`GET /api/v1/conversations/${id}`)).messages[0].id;
    const { id: holdId } = await hold(of(id));
    const requests = [
      answerTo('DELETE /api/v1/end-users/ada'),
      answerTo(`DELETE /api/v1/conversations/${id}`),
      answerTo(`POST /api/v1/conversations/${id}/truncate`, { message_id: first }),
    ];
    for (const answer of await Promise.all(requests)) {
      expect(answer).toMatchObject(isHeld);
      expect(answer.body.details).toEqual([{ legal_hold_id: holdId }]);
    }
    expect((await call(`GET /api/v1/conversations/${id}`)).messages).toHaveLength(2);
    await call(`DELETE /api/v1/legal-holds/${holdId}`);
    await call(`POST /api/v1/conversations/${id}/truncate`, { message_id: first });
    expect((await call('DELETE /api/v1/end-users/ada')).deleted_conversations).toBe(1);
  });

  it('is skipped by rounds and previews, which continue with everything else', async () => {
    const [id, other] = [await say(), await say('bob')];
    const calls = [
      await makeCall(service(), { botId: place.botId, recording: Buffer.alloc(800) }),
      await makeCall(service(), { botId: place.botId, recording: Buffer.alloc(800) }),
    ];
    await run(sql`update conversations set external_user_id = 'ada' where id = ${calls[0]}`);
    for (const one of [id, other, ...calls]) await age(one, secondsBefore(500 * day));
    const counts = async () => [
      await count('events', id),
      await count('trace_steps', id),
      await count('messages', id),
    ];
    const before = await counts();
    const { id: holdId } = await hold(of(id));
    const isWhole = Object.keys(of(id)).length === 0;
    const days = { conversations_days: 3, traces_days: 1, events_days: 1, recordings_days: 1 };
    await keep(days);
    await deleteExpired(service(), clock);
    expect(await counts()).toEqual(before);
    expect([await statusOf(id), await statusOf(other)]).toEqual([200, isWhole ? 200 : 404]);
    if (isWhole) expect(await lastRound()).toEqual(none);
    await call(`DELETE /api/v1/legal-holds/${holdId}`);
    await deleteExpired(service(), clock);
    expect([await statusOf(id), await statusOf(calls[0] ?? '')]).toEqual([404, 404]);
  });
});

it('recordings of a held person stay, also those that their bot keeps no longer', async () => {
  const ids = [
    await makeCall(service(), { botId: place.botId, recording: Buffer.alloc(800) }),
    await makeCall(service(), { botId: place.botId, recording: Buffer.alloc(800) }),
  ];
  await run(sql`update conversations set external_user_id = 'ada' where id = ${ids[0]}`);
  for (const id of ids) await age(id, secondsBefore(91 * day));
  await hold({ external_user_id: 'ada' });
  await keep({});
  await deleteExpired(service(), clock);
  const { rows } = await run(
    sql`select call_id as id from call_recordings where workspace_id = ${place.workspaceId}`,
  );
  expect(rows).toEqual([{ id: ids[0] }]);
});

it('the audit log is kept by a hold of the whole workspace only', async () => {
  await run(
    sql`update audit_entries set created_at = ${secondsBefore(500 * day)}::timestamptz where workspace_id = ${place.workspaceId}`,
  );
  const { id } = await hold();
  await keep({ audit_days: 30 });
  const before = await count('audit_entries');
  await deleteExpired(service(), clock);
  expect(await count('audit_entries')).toBe(before);
  await call(`DELETE /api/v1/legal-holds/${id}`);
  await hold({ external_user_id: 'ada' });
  await deleteExpired(service(), clock);
  expect(await lastRound()).toMatchObject({ audit: expect.any(Number) });
  expect((await call('GET /api/v1/audit?action=bot.created')).length).toBe(0);
});

it('PostgreSQL itself refuses to delete a held conversation', async () => {
  const id = await say();
  await hold({ conversation_id: id });
  await expect(run(sql`delete from conversations where id = ${id}`)).rejects.toThrow();
  expect(await statusOf(id)).toBe(200);
});

describe('a hold that is placed during a deletion', () => {
  const waitingToPlace = () => countWaitingForLocks(service().database, 'pg_advisory_xact_lock(');

  it('waits for a batch, and keeps what the batch has left', async () => {
    const ids = [await say(), await say()];
    let placed: Promise<unknown> = Promise.resolve();
    await service()
      .database.within(place.workspaceId)
      .transaction(async (tx) => {
        await lockForDeletion(tx, place.workspaceId);
        await tx.execute(sql`delete from conversations where id = ${ids[0]}`);
        placed = hold({ external_user_id: 'ada' });
        await expect.poll(waitingToPlace, { interval: 20 }).toBe(1);
      });
    await placed;
    expect(await answerTo('DELETE /api/v1/end-users/ada')).toMatchObject(isHeld);
    expect([await statusOf(ids[0] ?? ''), await statusOf(ids[1] ?? '')]).toEqual([404, 200]);
  });

  /** Each is prepared, and then begun. */
  const deletions: Record<string, (id: string) => Promise<() => Promise<unknown>>> = {
    'of a conversation': async (id) => () => call(`DELETE /api/v1/conversations/${id}`),
    'of messages': async (id) => {
      const [first] = (await call(`GET /api/v1/conversations/${id}`)).messages;
      return () => call(`POST /api/v1/conversations/${id}/truncate`, { message_id: first.id });
    },
    'by retention': async (id) => {
      await age(id, secondsBefore(500 * day));
      await keep({ conversations_days: 30 });
      return () => deleteExpired(service(), clock);
    },
  };

  it.each(Object.entries(deletions))('waits for one %s', async (_, prepare) => {
    const { database } = service();
    const id = await say();
    const begin = await prepare(id);
    const other = await database.connect('test');
    await other.query('begin');
    await other.query('select from conversations where id = $1 for update', [id]);
    const deleting = begin();
    await expect.poll(() => countWaitingForLocks(database, 'for update'), { interval: 20 }).toBe(1);
    const placing = hold({ external_user_id: 'ada' });
    await expect.poll(waitingToPlace, { interval: 20 }).toBe(1);
    await other.query('commit');
    await other.end();
    expect(await Promise.all([deleting, placing])).toHaveLength(2);
  });

  it('lets others work while many wait', async () => {
    const stranger = await service().makeWorkspace();
    let placing: Promise<unknown>[] = [];
    await whileDeleting(service().database, place.workspaceId, async () => {
      placing = Array.from({ length: 40 }, () => answerTo('POST /api/v1/legal-holds', { reason: 'x' }));
      await expect.poll(waitingToPlace, { interval: 20 }).toBe(1);
      expect(
        service()
          .database.pools()
          .find(({ pool }) => pool === 'main'),
      ).toMatchObject({ waiting: 0 });
      expect((await service().call('GET /api/v1/bots', { key: stranger.key })).status).toBe(200);
    });
    await Promise.all(placing);
  });

  it('is not placed while a person is being erased', async () => {
    await whileDeleting(service().database, place.workspaceId, async () => {
      const answer = await answerTo('POST /api/v1/legal-holds', { reason: 'x' });
      expect(answer).toMatchObject({ status: 409, body: { code: 'ERASURE_IN_PROGRESS' } });
    });
    expect(await call('GET /api/v1/legal-holds')).toEqual([]);
    await hold();
  });

  it('either finds the person erased as a whole, or keeps everything', async () => {
    for (const round of ['one', 'two', 'three', 'four', 'five', 'six']) {
      const user = `person ${round}`;
      const ids = [];
      for (let index = 0; index < 3; index += 1) ids.push(await say(user));
      const [erased, placed] = await Promise.all([
        answerTo(`DELETE /api/v1/end-users/${encodeURIComponent(user)}`),
        hold({ external_user_id: user }),
      ]);
      const statuses = await Promise.all(ids.map(statusOf));
      expect(new Set(statuses)).toEqual(new Set([erased.status === 200 ? 404 : 200]));
      if (erased.status !== 200) expect(erased).toMatchObject(isHeld);
      expect(placed.external_user_id).toBe(user);
    }
  });
});
