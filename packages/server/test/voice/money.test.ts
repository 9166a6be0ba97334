import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createBillingService } from '../../src/billing/billing.service.ts';
import { sql } from '../../src/database/drizzle.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { newId } from '../../src/lib/new-id.ts';
import { createMeters } from '../../src/metrics/meters.ts';
import { createEndCall } from '../../src/voice/exchange/end-call.ts';
import { createMeter } from '../../src/voice/exchange/meter.ts';
import { createCallRecords } from '../../src/voice-calls/records/call-records.service.ts';
import { createWorkspaceService } from '../../src/workspaces/workspaces.service.ts';
import { makeCall } from '../support/make-call.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { countWaitingForLocks } from '../support/waiting-for-locks.ts';

let service: TestApp;
let workspaceId: string;
let botId: string;
let aliveNode: string;

beforeAll(async () => {
  service = await startTestApp();
  const { rows } = await service.database.acrossWorkspaces.execute<{ id: string }>(sql`select id from nodes`);
  aliveNode = rows[0]?.id ?? '';
});
afterAll(() => service.stop());
beforeEach(async () => {
  const { id, key } = await service.makeWorkspace();
  workspaceId = id;
  const bot = await service.call('POST /api/v1/bots', { key, body: { name: 'x', system_prompt: 'x' } });
  botId = bot.body.id;
});

/** A dollar for a thousand characters, and nothing else. */
const prices = { speaking: { loud: 1 }, listening: {}, telephone: {} };

/** Of a node that is alive, unless another is given. */
async function meterOf(callId: string, nodeId = aliveNode) {
  const { database } = service;
  const workspaces = createWorkspaceService({ database });
  const billing = createBillingService({ database, clock: systemClock });
  const callRecords = createCallRecords({ database });
  const creditOf = async (id: string) => (await workspaces.get(id)).creditUsd;
  const call = { id: callId, workspaceId, transport: 'sip', direction: 'inbound', toNumber: null } as const;
  const dependencies = { database, billing, callRecords, creditOf, prices, nodeId };
  const meter = createMeter(dependencies, call, { listener: 'silent', speaker: 'loud' });
  const endCall = createEndCall({
    ...dependencies,
    meters: createMeters(),
    plan: async () => undefined,
    noteChange: () => undefined,
    clock: systemClock,
  });
  return { meter, end: () => endCall(call, 'caller_hung_up', 'bad\0 text') };
}

const addCredit = (addCreditUsd: string) =>
  createWorkspaceService(service).changePlan(workspaceId, { addCreditUsd });

async function openCall(): Promise<string> {
  const callId = await makeCall(service, { botId, status: 'in_progress', endReason: null });
  const query = service.database.acrossWorkspaces;
  await query.execute(sql`update voice_calls set cost_usd = 0, used = '{}' where id = ${callId}`);
  return callId;
}

async function standing() {
  const { rows } = await service.database.acrossWorkspaces.execute<Record<string, number>>(
    sql`select settled_usd::float8 as settled, reserved_usd::float8 as reserved,
          (select count(*) from billing_reservations r where r.workspace_id = a.workspace_id)::int as holds,
          (select coalesce(sum(cost_usd), 0) from usage_records u where u.workspace_id = a.workspace_id)::float8 as used
        from billing_accounts a where workspace_id = ${workspaceId}`,
  );
  return rows[0];
}

it('charges what a call costs once, however often and wherever it is settled', async () => {
  await addCredit('10');
  const callId = await openCall();
  const { meter, end } = await meterOf(callId);
  meter.speak(1_000);
  expect(await Promise.all([meter.settle(), meter.settle(), meter.settle()])).toEqual([true, true, true]);
  // Half a minute of talking is 400 characters.
  expect(await standing()).toEqual({ settled: 1, reserved: 0.4, holds: 1, used: 0 });
  // One that does not know it was charged, as when the answer to a commit is lost.
  const { meter: unaware } = await meterOf(callId);
  unaware.speak(1_000);
  await unaware.settle();
  expect(await standing()).toMatchObject({ settled: 1, reserved: 0.4 });
  meter.speak(500);
  meter.stop();
  await meter.settle();
  expect(await Promise.all([end(), end()])).toEqual(expect.arrayContaining([true, false]));
  await meter.settle();
  expect(await standing()).toEqual({ settled: 1.5, reserved: 0, holds: 0, used: 1.5 });
});

it('ends calls that share a balance while there is enough for their farewell', async () => {
  await addCredit('0.8');
  const calls = await Promise.all([openCall(), openCall(), openCall()].map(async (id) => meterOf(await id)));
  const settled = await Promise.all(calls.map(({ meter }) => meter.settle()));
  expect(settled.filter(Boolean)).toHaveLength(2);
  expect(await standing()).toMatchObject({ settled: 0, reserved: 0.8 });
  const [one] = calls.filter((_, index) => settled[index]);
  // Its own money is its own: 250 of 400 characters are gone, and ten seconds need 134.
  one?.meter.speak(250);
  expect(await one?.meter.settle()).toBe(true);
  one?.meter.speak(100);
  expect(await one?.meter.settle()).toBe(false);
  const { settled: spent = 0, reserved = 0 } = (await standing()) ?? {};
  expect(spent).toBeCloseTo(0.35, 9);
  expect(reserved).toBeCloseTo(0.45, 9);
});

it('keeps what a call has cost when it is deleted while it lasts', async () => {
  await addCredit('10');
  const callId = await openCall();
  const { meter, end } = await meterOf(callId);
  meter.speak(1_000);
  await meter.settle();
  meter.speak(1_000);
  await service.database.acrossWorkspaces.execute(sql`delete from conversations where id = ${callId}`);
  expect(await meter.settle()).toBe(true);
  meter.stop();
  await meter.settle();
  await meter.settle();
  expect(await end()).toBe(false);
  expect(await standing()).toEqual({ settled: 2, reserved: 0, holds: 0, used: 2 });
});

it('ends beside the erasure of its conversation, and neither waits for the other', async () => {
  const callId = await openCall();
  const { meter, end } = await meterOf(callId);
  meter.speak(1_000);
  await meter.settle();
  const { ending } = await service.database.acrossWorkspaces.transaction(async (tx) => {
    await tx.execute(sql`select from conversations where id = ${callId} for update`);
    const ended = end();
    await expect.poll(() => countWaitingForLocks(service.database, 'conversations')).toBe(1);
    await tx.execute(sql`select from voice_calls where id = ${callId} for update nowait`);
    await tx.execute(sql`delete from conversations where id = ${callId}`);
    return { ending: ended };
  });
  expect(await ending).toBe(false);
});

it('gives back the money of a call whose node is gone, and sets it aside again if another has the line', async () => {
  await addCredit('10');
  const callId = await openCall();
  await (await meterOf(callId, newId())).meter.settle();
  const billing = createBillingService({ database: service.database, clock: systemClock });
  await billing.releaseAbandoned(aliveNode);
  expect(await standing()).toMatchObject({ reserved: 0, holds: 0 });
  expect(await (await meterOf(callId)).meter.settle()).toBe(true);
  expect(await standing()).toMatchObject({ reserved: 0.4, holds: 1 });
});
