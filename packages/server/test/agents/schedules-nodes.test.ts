import { Cron } from 'croner';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { text } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { makeAgent, playAgent, startRun } from '../support/agents.ts';
import { eventually, scriptedEnvironment } from '../support/chat.ts';
import { isFull } from '../support/sample.ts';
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
let scripted: ScriptedModel | undefined;
let nodes: TestNode[];
let now: Date;

beforeEach(async () => {
  database = await createTestDatabase();
  nodes = [];
});
afterEach(async () => {
  await Promise.all(nodes.map((node) => node.stop()));
  await database.drop();
  await scripted?.close();
  scripted = undefined;
});

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

/** These tests are about when runs begin; without a model, each fails as soon as it has begun. */
describe('two nodes', () => {
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
    const [node] = [await start(), await start({}, 300)];
    const agents = new Map<string, string>();
    for (const schedule of schedules) agents.set(schedule, await makeAgent(node, { schedule }));
    const expected = new Map(schedules.map((schedule) => [schedule, expectedSlots(schedule, from, to)]));
    const moments = [...new Set([...expected.values()].flat())].toSorted();
    for (const moment of moments) {
      // Both nodes see the slot, the second one a moment later.
      moveTo(new Date(new Date(moment).getTime() + 300));
      const due = schedules.filter((schedule) => expected.get(schedule)?.includes(moment));
      for (const schedule of due) {
        const newest = async () => (await newestSlot(agents.get(schedule) ?? ''))?.slot_at;
        await eventually(newest).toBe(moment);
      }
      await noRunIsOpen(database.database);
    }
    moveTo(to);
    const runs = await listRuns(database.database);
    for (const schedule of schedules) {
      const agentId = agents.get(schedule) ?? '';
      const { recent } = await readSchedule(node, agentId);
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

  async function newestSlot(agentId: string) {
    const { rows } = await database.database.acrossWorkspaces.raw(
      'select slot_at from schedule_slots where bot_id = $1 order by slot_at desc limit 1',
      [agentId],
    );
    const [row] = rows as { slot_at: Date }[];
    return row && { slot_at: row.slot_at.toISOString() };
  }

  /** The weeks of a year in which a clock changes or February has a 29th; in a full run, the whole year. */
  const weeks = isFull
    ? [['2027-06-01', '2028-06-01']]
    : [
        ['2027-09-25', '2027-10-12'],
        ['2027-10-22', '2027-11-16'],
        ['2028-02-26', '2028-04-11'],
      ];

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

  it('fire every slot of the weeks around a change of the clock once', async () => {
    await walk(
      ['TZ=Europe/Berlin 30 2 * * *', 'TZ=Europe/Berlin 0 9 * * 1-5'],
      '2026-10-12T00:00:00Z',
      '2026-11-08T00:00:00Z',
    );
  });

  it.each([
    ['forward', '2026-03-28T22:00:00Z', '2026-03-29T06:00:00Z'],
    ['back', '2026-10-24T22:00:00Z', '2026-10-25T06:00:00Z'],
  ])('fire every real half hour of the night in which the clock goes %s', async (_, from, to) => {
    await walk(['TZ=Europe/Berlin */30 * * * *', 'TZ=Europe/Berlin 15 2 * * *'], from, to);
  });

  it('share what is due at the same moment, and a slot that meets a trigger makes one run', async () => {
    moveTo('2026-11-15T08:59:59Z');
    const [first, second] = [await start(), await start({}, 300)];
    const agents = await Promise.all(
      Array.from({ length: 130 }, () => makeAgent(first, { schedule: '0 9 * * *' })),
    );
    moveTo('2026-11-15T09:00:00.300Z');
    const triggered = await Promise.all(
      agents.slice(0, 30).map((id, index) => {
        const node = index % 2 === 0 ? first : second;
        return node.call(`POST /api/v1/agents/${id}/trigger`);
      }),
    );
    for (const { status } of triggered) expect([202, 409]).toContain(status);
    for (const agentId of agents) await slotsOnRecord(first, agentId, 1);
    await noRunIsOpen(database.database);
    const runs = await listRuns(database.database);
    for (const [index, agentId] of agents.entries()) {
      const [slot] = (await readSchedule(first, agentId)).recent;
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
  async function comesBackAt(moment: string, schedule: string) {
    scripted = await startScriptedModel();
    playAgent(scripted, [[text('Four.')]]);
    const environment = scriptedEnvironment(scripted);
    moveTo('2026-11-15T08:30:00Z');
    const before = await start(environment);
    const agentId = await makeAgent(before, { schedule });
    await before.stop();
    nodes = [];
    moveTo(moment);
    const node = await start(environment);
    return { node, agentId };
  }

  it('fires at the next start when it is 59 minutes old', async () => {
    const { node, agentId } = await comesBackAt('2026-11-15T09:59:00Z', '0 9 * * *');
    expect(await slotsOnRecord(node, agentId, 1)).toMatchObject({
      next_run_at: '2026-11-16T09:00:00.000Z',
      last_run_at: '2026-11-15T09:59:00.000Z',
      recent: [{ slot_at: '2026-11-15T09:00:00.000Z', outcome: 'fired' }],
    });
    expect(await listRuns(database.database)).toHaveLength(1);
  });

  it('is skipped and recorded when it is 61 minutes old', async () => {
    const { node, agentId } = await comesBackAt('2026-11-15T10:01:00Z', '0 9 * * *');
    expect(await slotsOnRecord(node, agentId, 1)).toMatchObject({
      next_run_at: '2026-11-16T09:00:00.000Z',
      last_run_at: null,
      recent: [
        {
          slot_at: '2026-11-15T09:00:00.000Z',
          outcome: 'skipped_late',
          reason: 'It was found more than an hour late.',
          conversation_id: null,
        },
      ],
    });
    expect(await listRuns(database.database)).toEqual([]);
  });

  it('is the only one to fire of all that were missed', async () => {
    const { node, agentId } = await comesBackAt('2026-11-20T10:05:00Z', '*/10 * * * *');
    const { recent, next_run_at } = await slotsOnRecord(node, agentId, 2);
    expect(next_run_at).toBe('2026-11-20T10:10:00.000Z');
    expect(recent).toMatchObject([
      { slot_at: '2026-11-20T10:00:00.000Z', outcome: 'fired' },
      { slot_at: '2026-11-20T09:50:00.000Z', outcome: 'skipped_late' },
    ]);
    expect(recent[1]?.reason).toMatch(/So were 727 before it\.$/);
    expect(await listRuns(database.database)).toHaveLength(1);
  });

  it('does not fire in place of a run that is still active', async () => {
    scripted = await startScriptedModel();
    scripted.respondWith([{ type: 'hang' }]);
    moveTo('2026-11-15T08:30:00Z');
    const environment = scriptedEnvironment(scripted);
    const before = await start(environment);
    const agentId = await makeAgent(before, { schedule: '0 9 * * *' });
    await startRun(before, agentId);
    await before.stop(100);
    nodes = [];
    moveTo('2026-11-15T09:30:00Z');
    const { recent } = await slotsOnRecord(await start(environment), agentId, 1);
    expect(recent).toMatchObject([{ outcome: 'skipped_busy' }]);
  });
});
