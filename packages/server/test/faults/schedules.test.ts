import type { AgentSchedule } from '@svc/contract/schedules';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeAgent } from '../support/agents.ts';
import { type PlannedModel, startPlannedModel } from '../support/faults/model.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../support/faults/proxy.ts';
import { createFleet, key } from '../support/faults/service.ts';
import { until } from '../support/faults/until.ts';
import { listRuns, readSchedule } from '../support/schedules.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

const fleet = createFleet();
const goal = 'Count the stars.';
let database: TestDatabase;
let proxy: DatabaseProxy;
let model: PlannedModel;

beforeEach(async () => {
  database = await createTestDatabase();
  proxy = await startDatabaseProxy(database);
  model = await startPlannedModel();
});
afterEach(async () => {
  await fleet.end();
  await proxy.close();
  await model.close();
  await database.drop();
});

const start = () => fleet.start({ ...proxy.environment, OPENAI_BASE_URL: model.url });

/** An agent with one slot a day, a few minutes ago, so that it is due immediately. */
async function makeDueAgent(service: ServiceProcess): Promise<{ agentId: string; slotAt: string }> {
  const slot = new Date(Math.floor(Date.now() / 60_000) * 60_000 - 5 * 60_000);
  const schedule = `${slot.getUTCMinutes()} ${slot.getUTCHours()} * * *`;
  const agentId = await makeAgent({ call: service.call(key) }, { schedule, agent_goal: goal });
  await database.database.acrossWorkspaces.raw(
    `update bots set next_run_at = $2::timestamptz, schedule_read_at = $2::timestamptz - interval '1 hour'
     where id = $1`,
    [agentId, slot],
  );
  return { agentId, slotAt: slot.toISOString() };
}

async function isRecorded(): Promise<boolean> {
  return (await database.database.acrossWorkspaces.raw('select 1 from schedule_slots')).rows.length > 0;
}

/** The slot fired once, its only run has ended, and the next slot is a day later. */
async function expectOneRun(service: ServiceProcess, agentId: string, slotAt: string): Promise<void> {
  // The model's answer to the check is not a verdict, so the run fails after its one reply.
  const ended = async () => (await listRuns(database.database)).some(({ status }) => status === 'failed');
  await until('the run ends', ended, { timeout: 60_000, detail: service.output });
  const schedule: AgentSchedule = await readSchedule({ call: service.call(key) }, agentId);
  const [run, ...others] = await listRuns(database.database);
  expect(others).toEqual([]);
  expect(run).toMatchObject({ bot_id: agentId, trigger: 'schedule', status: 'failed' });
  expect(schedule.recent).toMatchObject([
    { slot_at: slotAt, outcome: 'fired', conversation_id: run?.conversation_id },
  ]);
  const nextDay = new Date(new Date(slotAt).getTime() + 86_400_000).toISOString();
  expect(schedule.next_run_at).toBe(nextDay);
  expect(model.calls(goal)).toBe(1);
}

describe('a node that is killed while it fires a slot', () => {
  it('after the slot was claimed and before its run began loses nothing', async () => {
    const first = await start();
    const trap = proxy.loseAnswerTo('commit', { after: 'insert into "schedule_slots"' });
    const { agentId, slotAt } = await makeDueAgent(first);
    await trap.sent;
    await until('the slot is recorded', isRecorded);
    await first.end('SIGKILL');
    expect(model.calls(goal)).toBe(0);
    await expectOneRun(await start(), agentId, slotAt);
  });

  it('before the slot was claimed leaves it to the next node', async () => {
    const first = await start();
    const trap = proxy.loseAnswerTo('insert into "schedule_slots"');
    const { agentId, slotAt } = await makeDueAgent(first);
    await trap.sent;
    await first.end('SIGKILL');
    expect(model.calls(goal)).toBe(0);
    await expectOneRun(await start(), agentId, slotAt);
  });

  it('or only loses the answer to its commit begins the run once', async () => {
    const service = await start();
    const trap = proxy.loseAnswerTo('commit', { after: 'insert into "schedule_slots"' });
    const { agentId, slotAt } = await makeDueAgent(service);
    await trap.sent;
    await until('the slot is recorded', isRecorded);
    proxy.breakLost();
    await expectOneRun(service, agentId, slotAt);
  });
});
