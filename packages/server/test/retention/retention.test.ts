import { retentionKinds } from '@svc/contract/retention';
import { describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { makeCall } from '../support/make-call.ts';
import { deleteExpired } from './delete-expired.ts';
import { clock, day, forEver, secondsBefore, useRetention } from './use-retention.ts';

const { age, answerTo, call, chat, count, keep, lastRound, place, run, say, service, statusOf } =
  useRetention();
const none = Object.fromEntries(retentionKinds.map((kind) => [kind, 0]));

describe('the settings', () => {
  it('keep everything for ever but the audit log, until somebody says otherwise', async () => {
    expect(await call('GET /api/v1/retention')).toEqual({ ...forEver, audit_days: 400, last_round: null });
    const settings = { ...forEver, conversations_days: 365, audit_days: 30 };
    expect(await call('PUT /api/v1/retention', settings)).toEqual({ ...settings, last_round: null });
    expect(await call('GET /api/v1/retention')).toEqual({ ...settings, last_round: null });
    const [entry] = await call('GET /api/v1/audit');
    expect(entry).toMatchObject({
      action: 'retention.updated',
      changes: [
        { field: 'conversations_days', before: null, after: 365 },
        { field: 'audit_days', before: 400, after: 30 },
      ],
    });
  });

  it.each([
    [{ conversations_days: 0 }, 'conversations_days'],
    [{ traces_days: 3_651 }, 'traces_days'],
    [{ events_days: 1.5 }, 'events_days'],
    [{ audit_days: 29 }, 'audit_days'],
  ])('refuse %j, naming the field', async (wrong, field) => {
    const answer = await answerTo('PUT /api/v1/retention', { ...forEver, ...wrong });
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    expect(answer.body.details[0].path).toContain(field);
  });

  it('need all fields and the right to change the workspace', async () => {
    const { audit_days: _, ...others } = forEver;
    expect((await answerTo('PUT /api/v1/retention', others)).status).toBe(400);
    const { workspaceId } = place;
    const key = await service().makeKey({ workspaceId, abilities: ['workspace:read'] });
    expect((await service().call('PUT /api/v1/retention', { key, body: forEver })).status).toBe(403);
    expect((await service().call('POST /api/v1/retention/preview', { key, body: {} })).status).toBe(200);
  });
});

describe('a round deletes, to the second', () => {
  it('conversations without activity, with everything of them, and keeps what they cost', async () => {
    const [old, young] = [await say(), await say()];
    await age(old, secondsBefore(10 * day + 1));
    await age(young, secondsBefore(10 * day));
    const usage = await call('GET /api/v1/usage?by=bot');
    await keep({ conversations_days: 10 });
    await deleteExpired(service(), clock);
    expect([await statusOf(old), await statusOf(young)]).toEqual([404, 200]);
    expect([await count('messages', old), await count('events', old)]).toEqual([0, 0]);
    expect(await call('GET /api/v1/usage?by=bot')).toEqual(usage);
    const { rows } = await run(
      sql`select external_user_id as "user" from usage_records where workspace_id = ${place.workspaceId} order by 1`,
    );
    expect(rows.map(({ user }) => user)).toEqual(['ada', null]);
    expect(await lastRound()).toEqual({ ...none, conversations: 1 });
    const [entry] = await call('GET /api/v1/audit?action=retention');
    expect(entry).toMatchObject({
      action: 'retention.deleted',
      actor: { type: 'service' },
      changes: [{ field: 'conversations', before: null, after: 1 }],
    });
  });

  it('what is known of a person, with their last conversation', async () => {
    const [first, last] = [await say('grace'), await say('grace')];
    const other = await say('ada');
    for (const user of ['grace', 'ada']) await call(`PATCH /api/v1/end-users/${user}`, { name: 'Known' });
    const known = async () => {
      const { rows } = await run(
        sql`select external_user_id as "user" from end_user_details where workspace_id = ${place.workspaceId} order by 1`,
      );
      return rows.map(({ user }) => user);
    };
    for (const id of [first, other]) await age(id, secondsBefore(10 * day + 1));
    await age(last, secondsBefore(10 * day));
    await keep({ conversations_days: 10 });
    await deleteExpired(service(), clock);
    expect(await known()).toEqual(['grace']);
    await keep({ conversations_days: 9 });
    await deleteExpired(service(), clock);
    expect(await known()).toEqual([]);
  });

  it('no conversation that is old but was used again, that is answered, or is a call in progress', async () => {
    const used = await say();
    await age(used, secondsBefore(50 * day));
    await run(
      sql`update conversations set updated_at = ${secondsBefore(9 * day)}::timestamptz where id = ${used}`,
    );
    const busy = [await say(), await say()];
    for (const [index, id] of busy.entries()) {
      await age(id, secondsBefore(50 * day));
      await run(
        sql`update conversations set status = ${index === 0 ? 'running' : 'paused'} where id = ${id}`,
      );
    }
    const calls = [
      await makeCall(service(), { botId: place.botId, endReason: null, status: 'in_progress' }),
      await makeCall(service(), { botId: place.botId }),
    ];
    for (const id of calls) await age(id, secondsBefore(50 * day));
    await keep({ conversations_days: 10 });
    await deleteExpired(service(), clock);
    expect(await Promise.all([used, ...busy, ...calls].map(statusOf))).toEqual([200, 200, 200, 200, 404]);
    // Nothing is left to be deleted: the next round finds the same.
    await deleteExpired(service(), clock);
    expect(await lastRound()).toEqual(none);
  });

  it('steps of traces', async () => {
    const [old, young] = [await say(), await say()];
    await age(old, secondsBefore(5 * day + 1));
    await age(young, secondsBefore(5 * day));
    const steps = await count('trace_steps', old);
    expect(steps).toBeGreaterThan(0);
    await keep({ traces_days: 5 });
    await deleteExpired(service(), clock);
    expect(await count('trace_steps', old)).toBe(0);
    expect(await count('trace_steps', young)).toBe(steps);
    expect(await lastRound()).toEqual({ ...none, traces: steps });
    expect([await statusOf(old), await count('messages', old)]).toEqual([200, 2]);
  });

  it('events but the newest, so that a reader that resumes finds a gap', async () => {
    const id = await say();
    const log = await chat.log(id);
    await age(id, secondsBefore(5 * day + 1));
    await keep({ events_days: 5 });
    await deleteExpired(service(), clock);
    expect(await lastRound()).toEqual({ ...none, events: log.length - 1 });
    expect((await call(`GET /api/v1/conversations/${id}`)).messages).toHaveLength(2);
    const reader = await chat.listen(id, { after: 1 });
    const gap = await reader.until('stream.gap');
    expect(gap.data).toMatchObject({ from: 2, to: log.length - 1 });
    reader.close();
    // The conversation continues, and what follows has the next numbers.
    await say('ada', { new_conversation: false, conversation_id: id });
    expect((await chat.log(id)).map((event) => event.id)[0]).toBe(log.length);
  });

  it('no events of a turn that is not over', async () => {
    const id = await say();
    await age(id, secondsBefore(50 * day));
    await run(sql`update turns set status = 'paused', ended_at = null where conversation_id = ${id}`);
    const before = await count('events', id);
    await keep({ events_days: 5 });
    await deleteExpired(service(), clock);
    const { rows } = await run(sql`select from events where conversation_id = ${id} and turn_id is not null`);
    expect(rows.length).toBe(before);
  });

  it('recordings, of bots that keep them longer too', async () => {
    await call(`PUT /api/v1/bots/${place.botId}`, { settings: { recording_retention_days: 300 } });
    const ids: string[] = [];
    for (const seconds of [20 * day + 1, 20 * day, 301 * day]) {
      const id = await makeCall(service(), { botId: place.botId, recording: Buffer.alloc(800) });
      ids.push(id);
      await run(
        sql`update call_recordings set created_at = ${secondsBefore(seconds)}::timestamptz where call_id = ${id}`,
      );
    }
    const left = async () => {
      const { rows } = await run(
        sql`select call_id as id from call_recordings where workspace_id = ${place.workspaceId}`,
      );
      return rows.map(({ id }) => ids.indexOf(String(id))).toSorted();
    };
    await keep({});
    await deleteExpired(service(), clock);
    expect(await left()).toEqual([0, 1]);
    await keep({ recordings_days: 20 });
    await deleteExpired(service(), clock);
    expect(await left()).toEqual([1]);
    expect(await statusOf(ids[0] ?? '')).toBe(200);
  });

  it('entries of the audit log, and says so in it', async () => {
    await run(
      sql`update audit_entries set created_at = ${secondsBefore(30 * day + 1)}::timestamptz where workspace_id = ${place.workspaceId} and action = 'bot.created'`,
    );
    await run(
      sql`update audit_entries set created_at = ${secondsBefore(30 * day)}::timestamptz where workspace_id = ${place.workspaceId} and action <> 'bot.created'`,
    );
    await keep({ audit_days: 30 });
    await run(
      sql`update audit_entries set created_at = ${secondsBefore(0)}::timestamptz where workspace_id = ${place.workspaceId} and action = 'retention.updated'`,
    );
    await deleteExpired(service(), clock);
    const actions = (await call('GET /api/v1/audit')).map(({ action }: { action: string }) => action);
    expect(actions).not.toContain('bot.created');
    expect(actions).toEqual(expect.arrayContaining(['workspace.created', 'retention.deleted']));
  });
});
