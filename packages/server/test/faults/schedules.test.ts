import type { AgentSchedule } from '@svc/contract/schedules';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAgent } from '../support/agents.ts';
import { type PlannedModel, startPlannedModel } from '../support/faults/model.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../support/faults/proxy.ts';
import { createFleet, key } from '../support/faults/service.ts';
import { until } from '../support/faults/until.ts';
import { listRuns, readSchedule } from '../support/schedules.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

const fleet = createFleet();
let database: TestDatabase;
let proxy: DatabaseProxy;
let model: PlannedModel;
let service: ServiceProcess;

const start = () => fleet.start({ ...proxy.environment, OPENAI_BASE_URL: model.url });

interface DueAgent {
  agentId: string;
  goal: string;
  slotAt: string;
}

/** An agent with one slot a day, a few minutes ago, so that it is due immediately. */
async function makeDueAgent(goal: string): Promise<DueAgent> {
  const slot = new Date(Math.floor(Date.now() / 60_000) * 60_000 - 5 * 60_000);
  const schedule = `${slot.getUTCMinutes()} ${slot.getUTCHours()} * * *`;
  const agentId = await makeAgent({ call: service.call(key) }, { schedule, agent_goal: goal });
  await database.database.acrossWorkspaces.raw(
    `update bots set next_run_at = $2::timestamptz, schedule_read_at = $2::timestamptz - interval '1 hour'
     where id = $1`,
    [agentId, slot],
  );
  return { agentId, goal, slotAt: slot.toISOString() };
}

const runsOf = async ({ agentId }: DueAgent) =>
  (await listRuns(database.database)).filter(({ bot_id }) => bot_id === agentId);

async function isRecorded({ agentId }: DueAgent): Promise<boolean> {
  const slots = 'select 1 from schedule_slots where bot_id = $1';
  return (await database.database.acrossWorkspaces.raw(slots, [agentId])).rows.length > 0;
}

// The model's answer to the check is not a verdict, so a run fails after its one reply.
const runEnds = (agent: DueAgent) =>
  until('the run ends', async () => (await runsOf(agent)).some(({ status }) => status === 'failed'), {
    detail: service.output,
  });

/** The slot fired once, its only run has ended, and the next slot is a day later. */
async function expectOneRun(agent: DueAgent): Promise<void> {
  await runEnds(agent);
  const { agentId, goal, slotAt } = agent;
  const schedule: AgentSchedule = await readSchedule({ call: service.call(key) }, agentId);
  const [run, ...others] = await runsOf(agent);
  expect(others).toEqual([]);
  expect(run).toMatchObject({ trigger: 'schedule', status: 'failed' });
  expect(schedule.recent).toMatchObject([
    { slot_at: slotAt, outcome: 'fired', conversation_id: run?.conversation_id },
  ]);
  const nextDay = new Date(new Date(slotAt).getTime() + 86_400_000).toISOString();
  expect(schedule.next_run_at).toBe(nextDay);
  expect(model.calls(goal)).toBe(1);
}

const losesCommit = () => proxy.loseAnswerTo('commit', { after: 'insert into "schedule_slots"' });
/** How often the model was asked before the next node started. */
const askedBeforeStart = new Map<string, number>();

async function kill({ goal }: DueAgent): Promise<void> {
  await service.end('SIGKILL');
  askedBeforeStart.set(goal, model.calls(goal));
  service = await start();
}

let unanswered: DueAgent;
let claimed: DueAgent;
let unclaimed: DueAgent;

beforeAll(async () => {
  database = await createTestDatabase();
  [proxy, model] = await Promise.all([startDatabaseProxy(database), startPlannedModel()]);
  service = await start();
  const lost = losesCommit();
  unanswered = await makeDueAgent('Count the stars.');
  await lost.sent;
  await until('the slot is recorded', () => isRecorded(unanswered));
  proxy.breakLost();
  await runEnds(unanswered);

  const committed = losesCommit();
  claimed = await makeDueAgent('Count the moons.');
  await committed.sent;
  await until('the slot is recorded', () => isRecorded(claimed));
  await kill(claimed);
  await runEnds(claimed);

  const inserted = proxy.loseAnswerTo('insert into "schedule_slots"');
  unclaimed = await makeDueAgent('Count the suns.');
  await inserted.sent;
  await kill(unclaimed);
});
afterAll(async () => {
  await fleet.end();
  await proxy.close();
  await model.close();
  await database.drop();
});

describe('a node that is killed while it fires a slot', () => {
  it('after the slot was claimed and before its run began loses nothing', async () => {
    expect(askedBeforeStart.get(claimed.goal)).toBe(0);
    await expectOneRun(claimed);
  });

  it('before the slot was claimed leaves it to the next node', async () => {
    expect(askedBeforeStart.get(unclaimed.goal)).toBe(0);
    await expectOneRun(unclaimed);
  });

  it('or only loses the answer to its commit begins the run once', () => expectOneRun(unanswered));
});
