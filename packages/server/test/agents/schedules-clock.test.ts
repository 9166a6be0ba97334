import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { makeAgent } from '../support/agents.ts';
import { eventually } from '../support/chat.ts';
import {
  listRuns,
  noRunIsOpen,
  readSchedule,
  scheduleEveryMilliseconds,
  slotsOnRecord,
} from '../support/schedules.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
let now = new Date('2026-11-15T08:00:00Z');

const moveTo = (moment: string) => {
  now = new Date(moment);
};

/** These tests are about when runs begin; without a model, each fails as soon as it has begun. */
beforeAll(async () => {
  service = await startTestApp({ clock: { now: () => now }, scheduleEveryMilliseconds });
});
afterAll(() => service.stop());
beforeEach(() => moveTo('2026-11-15T08:00:00Z'));

const firedSlots = async (agentId: string) =>
  (await readSchedule(service, agentId)).recent
    .filter(({ outcome }) => outcome === 'fired')
    .map(({ slot_at }) => slot_at.slice(0, 16));
const runsOf = async (agentId: string) =>
  (await listRuns(service.database)).filter(({ bot_id }) => bot_id === agentId).length;

it('a clock that is set back fires no slot twice, and each slot that is still to come once', async () => {
  const agentId = await makeAgent(service, { schedule: '0 * * * *' });
  for (const hour of ['09', '10', '11']) {
    moveTo(`2026-11-15T${hour}:00:00Z`);
    await eventually(async () => (await firedSlots(agentId))[0]).toBe(`2026-11-15T${hour}:00`);
    await noRunIsOpen(service.database);
  }
  moveTo('2026-11-15T08:30:00Z');
  // It is computed again immediately, from the first slot that did not fire.
  await eventually(() => isReadBefore('2026-11-15T09:00:00Z', agentId)).toBe(true);
  expect((await readSchedule(service, agentId)).next_run_at).toBe('2026-11-15T12:00:00.000Z');
  for (const moment of ['09:00', '10:00', '11:00', '11:59:59']) {
    moveTo(`2026-11-15T${moment}Z`);
    await aRoundPassed();
  }
  expect(await firedSlots(agentId)).toHaveLength(3);
  moveTo('2026-11-15T12:00:00Z');
  await slotsOnRecord(service, agentId, 4);
  expect(await runsOf(agentId)).toBe(4);
});

it('a clock that jumps ahead fires at most once, and the schedule recovers when it is corrected', async () => {
  const agentId = await makeAgent(service, { schedule: '0 * * * *' });
  moveTo('2036-11-15T10:30:00Z');
  expect((await slotsOnRecord(service, agentId, 2)).recent).toMatchObject([
    { slot_at: '2036-11-15T10:00:00.000Z', outcome: 'fired' },
    { slot_at: '2036-11-15T09:00:00.000Z', outcome: 'skipped_late' },
  ]);
  await noRunIsOpen(service.database);
  moveTo('2026-11-15T08:45:00Z');
  const next = async () => (await readSchedule(service, agentId)).next_run_at;
  await eventually(next).toBe('2026-11-15T09:00:00.000Z');
  moveTo('2026-11-15T09:00:00Z');
  await slotsOnRecord(service, agentId, 3);
  expect(await runsOf(agentId)).toBe(2);
});

async function isReadBefore(moment: string, agentId: string): Promise<boolean> {
  const { rows } = await service.database.acrossWorkspaces.raw(
    'select 1 from bots where id = $1 and schedule_read_at < $2',
    [agentId, moment],
  );
  return rows.length === 1;
}

/** Everything due has been handled once an agent that is later in line has been. */
async function aRoundPassed(): Promise<void> {
  const witness = await makeAgent(service, { schedule: '* * * * *' });
  await service.database.acrossWorkspaces.raw(
    `update bots set agent_goal = null, next_run_at = $2::timestamptz, schedule_read_at = $2::timestamptz - interval '1 hour'
     where id = $1`,
    [witness, now],
  );
  await eventually(async () => (await readSchedule(service, witness)).recent.length).toBeGreaterThan(0);
  await service.call(`DELETE /api/v1/bots/${witness}`);
}
