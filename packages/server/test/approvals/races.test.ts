import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { text, toolCall } from '../scripted-model/script.ts';
import { chatWith, durable, eventually } from '../support/chat.ts';
import { refund, refundConfiguration, resolvedIn } from '../support/refund-shop.ts';
import { useRefundDesk } from './use-refund-desk.ts';

let holder: pg.Client;
const place = useRefundDesk();
const { desk } = place;

beforeEach(async () => {
  holder = await place.service.database.connect('race test');
});
afterEach(() => holder.end());

/** How many of the service's statements wait for a lock. */
async function waiting(): Promise<number> {
  const { rows } = await place.service.database.acrossWorkspaces.raw(
    "select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return (rows[0] as { count: number }).count;
}

async function hold(table: string, id: string): Promise<void> {
  await holder.query('begin');
  const held = await holder.query(`select 1 from ${table} where id = $1 for update`, [id]);
  expect(held.rowCount).toBe(1);
}

describe('two approvals of one turn, answered at the same moment', () => {
  const other = { order: 18, amount: 1 };

  it.each([
    ['the first answered first', ['approve', 'approve'], [0, 1]],
    ['the second answered first', ['approve', 'approve'], [1, 0]],
    ['one of them denied', ['deny', 'approve'], [0, 1]],
  ] as const)('resume it exactly once: %s', async (_how, actions, order) => {
    const turn = await desk.pause(await desk.makeBot(), [refund, other]);
    // Both answers wait for the conversation: neither sees the other.
    await hold('conversations', turn.conversationId);
    const answers: Promise<unknown>[] = [];
    for (const [nth, which] of order.entries()) {
      answers.push(desk.respond(turn.approvalIds[which] ?? '', { action: actions[which] }));
      await eventually(waiting).toBe(nth + 1);
    }
    await holder.query('rollback');
    expect(await Promise.all(answers)).toMatchObject([{ status: 200 }, { status: 200 }]);
    const events = await desk.ending(turn);
    expect(events.filter(({ event }) => event === 'turn.resumed')).toHaveLength(1);
    expect(resolvedIn(events).map(({ id }) => id)).toEqual(order.map((which) => turn.approvalIds[which]));
    const wanted = [refund, other].filter((_one, index) => actions[index] === 'approve');
    const done = place.shop.refunds.map((one) => one.refund).toSorted((a, b) => a.order - b.order);
    expect(done).toEqual(wanted);
    expect(place.scripted.requests).toHaveLength(2);
  });
});

it('a tool that is changed while the answer arrives does not run in its unapproved form', async () => {
  const bot = await desk.makeBot();
  const turn = await desk.pause(bot);
  // The answer has been checked and waits; the change comes between it and the run.
  await hold('conversations', turn.conversationId);
  const answer = desk.respond(turn.approvalIds[0] ?? '', { action: 'approve' });
  await eventually(waiting).toBe(1);
  const configuration = { ...refundConfiguration(place.shop), body: { order: '{{order}}', amount: 99 } };
  const changed = await place.service.call(`PUT /api/v1/tools/${bot.toolId}`, { body: { configuration } });
  expect(changed.status).toBe(200);
  await holder.query('rollback');
  expect((await answer).status).toBe(200);
  const events = await desk.ending(turn);
  expect(resolvedIn(events).map(({ status }) => status)).toEqual(['approved', 'expired']);
  expect(place.shop.refunds).toEqual([]);
});

it('an answer that is repeated with its Idempotency-Key gets the same response, and nothing runs twice', async () => {
  const chat = chatWith(() => place.service);
  place.scripted.enqueue([toolCall('refund', refund)], [text('Done as you wished.')]);
  const { botId } = await desk.makeBot();
  const message = { bot_id: botId, message: 'Please refund order 17.', external_user_id: randomUUID() };
  const sendKey = { 'idempotency-key': randomUUID() };
  const turn = await chat.say(message, { headers: sendKey });
  const approvalId: string = turn.last.data.approval_ids[0];
  const headers = { 'idempotency-key': randomUUID() };
  const respond = (action: string) =>
    place.service.call(`POST /api/v1/hitl/${approvalId}/respond`, { body: { action }, headers });
  const first = await respond('approve');
  expect(first).toMatchObject({ status: 200, body: { id: approvalId, status: 'approved' } });
  const rest = durable(await desk.ending(turn));
  expect(await respond('approve')).toMatchObject({ status: 200, body: first.body });
  expect(await respond('deny')).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_MISMATCH' } });
  expect((await desk.respond(approvalId, { action: 'approve' })).body.code).toBe('ALREADY_RESOLVED');
  expect(place.shop.refunds).toHaveLength(1);

  // The send ended with the pause; its repeat continues from there.
  const seen = { ...sendKey, 'last-event-id': String(turn.last.id) };
  const repeat = await (await chat.send(message, { headers: seen })).ended();
  expect(repeat).toEqual({ complete: true, events: rest });
});
