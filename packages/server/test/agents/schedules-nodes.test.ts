import { Cron } from 'croner';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hang, text } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { complete, isCheck, makeAgent, startRun } from '../support/agents.ts';
import { askedBy, eventually, scriptedEnvironment } from '../support/chat.ts';
import { isFull, sampleOf } from '../support/sample.ts';
import {
  listRuns,
  noRunIsOpen,
  readSchedule,
  scheduleEveryMilliseconds,
  slotsOnRecord,
} from '../support/schedules.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { startNode, type TestNode } from '../support/test-node.ts';

let database: TestDatabase;
let nodes: TestNode[] = [];
let now: Date;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** A node whose clock is a little behind the others', as clocks are. */
async function start(environment: Record<string, string> = {}, behindMilliseconds = 0): Promise<TestNode> {
  const node = await startNode({
    database: database.database,
    environment,
    clock: { now: () => new Date(now.getTime() - behindMilliseconds) },
    scheduleEveryMilliseconds,
  });
  nodes.push(node);
  return node;
}

const moveTo = (moment: Date | string) => {
  now = new Date(moment);
};

const stopNodes = () => Promise.all(nodes.splice(0).map((node) => node.stop()));

/** These tests are about when runs begin; without a model, each fails as soon as it has begun. */
describe('two nodes', () => {
  let first: TestNode;
  let second: TestNode;
  const agents: string[] = [];
  beforeAll(async () => {
    moveTo('2026-01-01T00:00:00Z');
    [first, second] = [await start(), await start({}, 300)];
  });
  // The next test may be about an earlier year.
  afterEach(async () => {
    await Promise.all(agents.splice(0).map((id) => first.call(`DELETE /api/v1/bots/${id}`)));
  });
  afterAll(stopNodes);

  async function makeScheduled(schedule: string): Promise<string> {
    const id = await makeAgent(first, { schedule });
    agents.push(id);
    return id;
  }

  /** The slots as computed by another implementation. */
  function expectedSlots(schedule: string, from: string, to: string): string[] {
    const [, timezone = 'UTC', fields = ''] = /^(?:TZ=(\S+) )?(.*)$/.exec(schedule) ?? [];
    const cron = new Cron(fields, { timezone, paused: true });
    const slots: string[] = [];
    for (let slot = cron.nextRun(new Date(from)); slot && slot <= new Date(to); slot = cron.nextRun(slot)) {
      slots.push(slot.toISOString());
    }
    return slots;
  }

  /** Moves the clock from slot to slot, and waits at each one until its run is over. */
  async function walk(schedules: string[], from: string, to: string): Promise<void> {
    moveTo(from);
    const scheduled = new Map<string, string>();
    for (const schedule of schedules) scheduled.set(schedule, await makeScheduled(schedule));
    const expected = new Map(schedules.map((schedule) => [schedule, expectedSlots(schedule, from, to)]));
    const moments = [...new Set([...expected.values()].flat())].toSorted();
    for (const moment of moments) {
      // Both nodes see the slot, the second one a moment later.
      moveTo(new Date(new Date(moment).getTime() + 300));
      const due = schedules.filter((schedule) => expected.get(schedule)?.includes(moment));
      for (const schedule of due) {
        const newest = async () => (await newestSlot(scheduled.get(schedule) ?? ''))?.slot_at;
        await eventually(newest, 60).toBe(moment);
      }
      await noRunIsOpen(database.database);
    }
    moveTo(to);
    const runs = await listRuns(database.database);
    for (const schedule of schedules) {
      const agentId = scheduled.get(schedule) ?? '';
      const { recent } = await readSchedule(first, agentId);
      const conversations = recent.map(({ conversation_id }) => conversation_id);
      expect(recent.map(({ slot_at }) => slot_at).toReversed(), schedule).toEqual(expected.get(schedule));
      expect(
        recent.filter(({ outcome }) => outcome !== 'fired'),
        schedule,
      ).toEqual([]);
      const begun = runs.filter(({ bot_id }) => bot_id === agentId);
      expect(
        begun.map(({ conversation_id }) => conversation_id),
        schedule,
      ).toEqual(conversations.toReversed());
    }
  }

  async function slotsOf(ids: string[]) {
    const { rows } = await database.database.acrossWorkspaces.raw(
      'select bot_id, outcome from schedule_slots where bot_id = any($1)',
      [ids],
    );
    return rows as { bot_id: string; outcome: string }[];
  }

  async function newestSlot(agentId: string) {
    const { rows } = await database.database.acrossWorkspaces.raw(
      'select slot_at from schedule_slots where bot_id = $1 order by slot_at desc limit 1',
      [agentId],
    );
    const [row] = rows as { slot_at: Date }[];
    return row && { slot_at: row.slot_at.toISOString() };
  }

  /** Around each change of a clock of a year and its 29 February, one of two; in a full run, the whole year. */
  const weeks = isFull
    ? [['2027-06-01', '2028-06-01']]
    : sampleOf(
        [
          ['2027-10-02', '2027-10-12'],
          ['2027-10-30', '2027-11-09'],
          ['2028-02-26', '2028-03-14'],
          ['2028-03-25', '2028-04-04'],
        ],
        2,
      );

  it.each(weeks)('fire every slot from %s to %s once, over every change of the clock', async (from, to) => {
    await walk(
      [
        'TZ=Europe/Berlin 30 2 * * 0',
        'TZ=America/New_York 30 1 * * 0',
        'TZ=Australia/Lord_Howe 45 1 * * 0',
        '0 0 29 2 *',
      ],
      `${from}T00:00:00Z`,
      `${to}T00:00:00Z`,
    );
  });

  it('fire every slot of the days around a change of the clock once', async () => {
    await walk(
      ['TZ=Europe/Berlin 30 2 * * *', 'TZ=Europe/Berlin 0 9 * * 1-5'],
      '2026-10-22T00:00:00Z',
      '2026-10-30T00:00:00Z',
    );
  });

  it.each([
    ['forward', '2026-03-28T23:50:00Z', '2026-03-29T02:10:00Z'],
    ['back', '2026-10-24T23:50:00Z', '2026-10-25T02:10:00Z'],
  ])('fire every real half hour of the night in which the clock goes %s', async (_, from, to) => {
    await walk(['TZ=Europe/Berlin */30 * * * *', 'TZ=Europe/Berlin 15 2 * * *'], from, to);
  });

  it('share what is due at the same moment, and a slot that meets a trigger makes one run', async () => {
    moveTo('2026-11-15T08:59:59Z');
    // More than a node reads at a time.
    await Promise.all(Array.from({ length: 110 }, () => makeScheduled('0 9 * * *')));
    moveTo('2026-11-15T09:00:00.300Z');
    const triggered = await Promise.all(
      agents.slice(0, 30).map((id, index) => {
        const node = index % 2 === 0 ? first : second;
        return node.call(`POST /api/v1/agents/${id}/trigger`);
      }),
    );
    for (const { status } of triggered) expect([202, 409]).toContain(status);
    await eventually(async () => (await slotsOf(agents)).length, 100).toBe(agents.length);
    await noRunIsOpen(database.database);
    const slots = new Map((await slotsOf(agents)).map((slot) => [slot.bot_id, slot]));
    const runs = await listRuns(database.database);
    for (const [index, agentId] of agents.entries()) {
      const slot = slots.get(agentId);
      const ofAgent = runs.filter(({ bot_id }) => bot_id === agentId);
      const byHand = triggered[index]?.status === 202 ? 1 : 0;
      expect(ofAgent.filter(({ trigger }) => trigger === 'api')).toHaveLength(byHand);
      expect(ofAgent.filter(({ trigger }) => trigger === 'schedule')).toHaveLength(
        slot?.outcome === 'fired' ? 1 : 0,
      );
      expect(slot?.outcome).toMatch(byHand ? /fired|skipped_busy/ : /fired/);
    }
  });
});

describe('a slot that was missed while no node ran', () => {
  const schedules = {
    recent: '5 9 * * *',
    late: '3 9 * * *',
    often: '* * * * *',
    busy: '30 9 * * *',
  };
  const agents = {} as Record<keyof typeof schedules, string>;
  let node: TestNode;
  let scripted: ScriptedModel;
  beforeAll(async () => {
    scripted = await startScriptedModel();
    scripted.respondWith((request) => {
      if (isCheck(request)) return [text(JSON.stringify(complete))];
      return askedBy(request).some(({ content }) => content.includes('Never end.'))
        ? [hang]
        : [text('Four.')];
    });
    const environment = scriptedEnvironment(scripted);
    moveTo('2026-11-15T08:30:00Z');
    const before = await start(environment);
    for (const name of Object.keys(schedules) as (keyof typeof schedules)[]) {
      const goal = name === 'busy' ? { agent_goal: 'Never end.' } : {};
      agents[name] = await makeAgent(before, { schedule: schedules[name], ...goal });
    }
    await startRun(before, agents.busy);
    await before.stop(100);
    nodes = [];
    moveTo('2026-11-15T10:04:00Z');
    node = await start(environment);
  });
  afterAll(async () => {
    await stopNodes();
    await scripted.close();
  });
  const runsOf = async (agentId: string) =>
    (await listRuns(database.database)).filter(({ bot_id }) => bot_id === agentId);

  it('fires at the next start when it is 59 minutes old', async () => {
    expect(await slotsOnRecord(node, agents.recent, 1)).toMatchObject({
      next_run_at: '2026-11-16T09:05:00.000Z',
      last_run_at: '2026-11-15T10:04:00.000Z',
      recent: [{ slot_at: '2026-11-15T09:05:00.000Z', outcome: 'fired' }],
    });
    expect(await runsOf(agents.recent)).toHaveLength(1);
  });

  it('is skipped and recorded when it is 61 minutes old', async () => {
    expect(await slotsOnRecord(node, agents.late, 1)).toMatchObject({
      next_run_at: '2026-11-16T09:03:00.000Z',
      last_run_at: null,
      recent: [
        {
          slot_at: '2026-11-15T09:03:00.000Z',
          outcome: 'skipped_late',
          reason: 'It was found more than an hour late.',
          conversation_id: null,
        },
      ],
    });
    expect(await runsOf(agents.late)).toEqual([]);
  });

  it('is the only one to fire of all that were missed', async () => {
    const { recent, next_run_at } = await slotsOnRecord(node, agents.often, 2);
    expect(next_run_at).toBe('2026-11-15T10:05:00.000Z');
    expect(recent).toMatchObject([
      { slot_at: '2026-11-15T10:04:00.000Z', outcome: 'fired' },
      { slot_at: '2026-11-15T10:03:00.000Z', outcome: 'skipped_late' },
    ]);
    expect(recent[1]?.reason).toMatch(/So were 92 before it\.$/);
    expect(await runsOf(agents.often)).toHaveLength(1);
  });

  it('does not fire in place of a run that is still active', async () => {
    const { recent } = await slotsOnRecord(node, agents.busy, 1);
    expect(recent).toMatchObject([{ outcome: 'skipped_busy' }]);
  });
});
