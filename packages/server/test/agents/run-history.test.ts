import type { AgentOverview, RunCalendar, RunEntry } from '@svc/contract/run-history';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hang, text, usage } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { endOfRun, makeAgent, playAgent, runToItsEnd, startRun, trigger } from '../support/agents.ts';
import { scriptedEnvironment } from '../support/chat.ts';
import { type Member, makeMember } from '../support/members.ts';
import { scheduleEveryMilliseconds, slotsOnRecord } from '../support/schedules.ts';
import { createCall, startTestApp, type TestApp } from '../support/test-app.ts';

let scripted: ScriptedModel;
let service: TestApp;
let viewer: Member;
let operator: Member;
let now: Date;

const moveTo = (moment: string) => {
  now = new Date(moment);
};

beforeAll(async () => {
  moveTo('2026-11-15T08:00:00Z');
  scripted = await startScriptedModel();
  service = await startTestApp({
    environment: scriptedEnvironment(scripted),
    clock: { now: () => now },
    scheduleEveryMilliseconds,
  });
  viewer = await makeMember(service, { role: 'viewer' });
  operator = await makeMember(service, { role: 'operator' });
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
});
beforeEach(async () => {
  await service.database.acrossWorkspaces.raw('delete from bots');
  moveTo('2026-11-15T08:00:00Z');
  scripted.reset();
  playAgent(scripted, [[usage(1000, 100), text('Four.')]]);
});

async function history(query = ''): Promise<RunEntry[]> {
  const answer = await viewer.call(`GET /api/console/runs${query}`);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
}

describe('the preview of a schedule', () => {
  const preview = (body: object) => service.call('POST /api/v1/schedules/preview', { body });

  it('says what it means and when it fires, in its own time zone or the given one', async () => {
    const berlin = {
      schedule: 'TZ=Europe/Berlin 0 9 * * 1-5',
      description: 'At 09:00, Monday through Friday (Europe/Berlin)',
      time_zone: 'Europe/Berlin',
      next: [
        '2026-11-16T08:00:00.000Z',
        '2026-11-17T08:00:00.000Z',
        '2026-11-18T08:00:00.000Z',
        '2026-11-19T08:00:00.000Z',
        '2026-11-20T08:00:00.000Z',
      ],
    };
    const given = [
      { schedule: 'TZ=Europe/Berlin 0 9 * * 1-5' },
      { schedule: '0 9 * * 1-5', time_zone: 'Europe/Berlin' },
      { schedule: 'TZ=Europe/Berlin  0 9 * * 1-5', time_zone: 'Asia/Tokyo' },
    ];
    for (const body of given) expect(await preview(body)).toMatchObject({ status: 200, body: berlin });
    expect((await preview({ schedule: '0 9 * * *' })).body).toMatchObject({
      schedule: '0 9 * * *',
      time_zone: 'UTC',
    });
  });

  it.each([
    [{ schedule: '0 9 * *' }, 'schedule', 'must have five fields'],
    [{ schedule: '0 25 * * *' }, 'schedule', 'has "25" for the hour'],
    [{ schedule: 'TZ=Mars/Olympus 0 9 * * *' }, 'schedule', 'names an unknown time zone'],
    [{ schedule: '0 9 30 2 *' }, 'schedule', 'never comes'],
    [{ schedule: '0 9 * * *', time_zone: 'Mars/Olympus' }, 'time_zone', 'is not a known time zone'],
  ])('says what is wrong with %j', async (body, path, message) => {
    expect(await preview(body)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', details: [{ path, message: expect.stringContaining(message) }] },
    });
  });
});

describe('the history of runs', () => {
  it('has runs with their cost and what started them, and slots of which none came with the reason', async () => {
    const agentId = await makeAgent(service, { name: 'Restocker', schedule: '0 9 * * *' });
    const { id: firstId } = await runToItsEnd(service, agentId, { payload: 'Only today.' });
    moveTo('2026-11-15T10:30:00Z');
    await slotsOnRecord(service, agentId, 1);
    const started = await trigger({ call: operator.call }, agentId);
    await endOfRun(service, started.body.data.conversation_id);
    expect(await history()).toMatchObject([
      { kind: 'run', bot_name: 'Restocker', trigger: 'console', status: 'completed', at: now.toISOString() },
      {
        kind: 'slot',
        status: 'skipped',
        trigger: 'schedule',
        at: '2026-11-15T09:00:00.000Z',
        conversation_id: null,
        reason: 'It was found more than an hour late.',
        cost_usd: null,
      },
      {
        kind: 'run',
        trigger: 'api',
        conversation_id: firstId,
        payload: 'Only today.',
        iterations: 1,
        cost_usd: expect.stringMatching(/^0\.0*[1-9]/),
      },
    ]);
    const { cost_usd: cost } = (await viewer.call(`GET /api/console/conversations/${firstId}`)).body;
    expect((await history())[2]?.cost_usd).toBe(cost);
    expect(await history('?status=skipped')).toMatchObject([{ kind: 'slot' }]);
    expect(await history('?trigger=console')).toMatchObject([{ trigger: 'console' }]);
    expect(await history('?status=failed')).toEqual([]);
    expect(await history(`?bot_id=${await makeAgent(service)}`)).toEqual([]);
  });

  it('is paged without gaps, even where entries have the same time', async () => {
    const agents = [await makeAgent(service), await makeAgent(service), await makeAgent(service)];
    for (const agentId of agents) await runToItsEnd(service, agentId);
    const insert = `insert into schedule_slots (bot_id, slot_at, workspace_id, outcome, reason, noted_at)
      select id, $1, workspace_id, 'skipped_busy', 'A run was in progress.', $1 from bots`;
    await service.database.acrossWorkspaces.raw(insert, [now]);
    const all = await history();
    expect(all).toHaveLength(6);
    const paged: RunEntry[] = [];
    for (let path: string | undefined = '/api/console/runs?limit=1'; path; ) {
      const answer = await viewer.call(`GET ${path}`);
      paged.push(...answer.body);
      path = /<https?:\/\/[^/]+([^>]+)>/.exec(answer.headers.get('link') ?? '')?.[1];
    }
    expect(paged).toEqual(all);
    for (const before of ['yesterday', '0000-01-01T00:00:00.000Z~a', '%2B012026-01-01T00:00:00.000Z~a']) {
      expect(await viewer.call(`GET /api/console/runs?before=${before}`)).toMatchObject({
        status: 400,
        body: { details: [{ path: 'before' }] },
      });
    }
  });

  it('is not that of another workspace, and needs a session', async () => {
    const other = await service.makeWorkspace();
    const agentId = await makeAgent(service, {}, other.key);
    await runToItsEnd({ call: createCall(service.url, other.key) }, agentId);
    await service.database.acrossWorkspaces.raw(
      `insert into schedule_slots (bot_id, slot_at, workspace_id, outcome, reason, noted_at)
       values ($1, $2, $3, 'skipped_busy', 'A run was in progress.', $2)`,
      [agentId, now, other.id],
    );
    for (const path of ['runs', 'runs/calendar?month=2026-11', 'agents']) {
      expect(JSON.stringify((await viewer.call(`GET /api/console/${path}`)).body)).not.toContain(agentId);
      expect(await service.call(`GET /api/console/${path}`)).toMatchObject({ status: 401 });
    }
    expect(await viewer.call(`GET /api/console/runs?bot_id=${agentId}`)).toMatchObject({ status: 404 });
  });
});

describe('an agent', () => {
  it('that is busy names the run in progress', async () => {
    playAgent(scripted, [[hang]]);
    const agentId = await makeAgent(service);
    const conversationId = await startRun(service, agentId);
    expect(await trigger(service, agentId)).toMatchObject({
      status: 409,
      body: { code: 'RUN_IN_PROGRESS', details: [{ conversation_id: conversationId }] },
    });
    const [agent]: AgentOverview[] = (await viewer.call('GET /api/console/agents')).body;
    expect(agent).toMatchObject({
      bot_id: agentId,
      has_goal: true,
      open_run: { conversation_id: conversationId, status: 'running' },
    });
    expect((await viewer.call('GET /api/console/overview')).body).toMatchObject({
      running: [
        { kind: 'run', title: 'Count the stars.', bot_name: 'Agent', done: 0, of: expect.any(Number) },
      ],
      running_count: 1,
    });
    const { id: workspaceId } = await service.makeWorkspace();
    const stranger = await makeMember(service, { role: 'owner', workspaceId });
    expect((await stranger.call('GET /api/console/overview')).body).toMatchObject({ running_count: 0 });
    await service.call('POST /api/v1/chat/stop', { body: { conversation_id: conversationId } });
    await endOfRun(service, conversationId);
  });

  it('is listed with its last slots and what became of their runs', async () => {
    const agentId = await makeAgent(service, {
      schedule: 'TZ=Europe/Berlin 0 * * * *',
      persistent_conversation: true,
    });
    for (const hour of ['09', '10']) {
      moveTo(`2026-11-15T${hour}:00:01Z`);
      const { recent } = await slotsOnRecord(service, agentId, Number(hour) - 8);
      await endOfRun(service, recent[0]?.conversation_id ?? '');
    }
    const [agent]: AgentOverview[] = (await viewer.call('GET /api/console/agents')).body;
    expect(agent).toMatchObject({
      description: 'Every hour, every day (Europe/Berlin)',
      next_run_at: '2026-11-15T11:00:00.000Z',
      open_run: null,
      recent: [
        { slot_at: '2026-11-15T10:00:00.000Z', outcome: 'fired', run_status: 'completed' },
        { slot_at: '2026-11-15T09:00:00.000Z', outcome: 'fired', run_status: 'completed' },
      ],
    });
  });
});

describe('the calendar', () => {
  const read = async (query: string): Promise<RunCalendar> =>
    (await viewer.call(`GET /api/console/runs/calendar?${query}`)).body;

  it('has what happened and what is planned, on the days of the reader', async () => {
    const agentId = await makeAgent(service, { name: 'Nightly', schedule: '30 23 * * *' });
    await runToItsEnd(service, agentId);
    const calendar = await read('month=2026-11&time_zone=Europe/Berlin');
    expect(calendar).toMatchObject({ month: '2026-11', time_zone: 'Europe/Berlin', truncated: false });
    expect(calendar.days).toHaveLength(30);
    const on = (date: string) => calendar.days.find((day) => day.date === date)?.entries[0];
    expect(on('2026-11-14')).toBeUndefined();
    expect(on('2026-11-15')).toMatchObject({
      bot_name: 'Nightly',
      counts: { completed: 1, failed: 0, open: 0, skipped: 0, planned: 0 },
      items: [{ kind: 'run', status: 'completed', at: '2026-11-15T08:00:00.000Z' }],
    });
    // Half past eleven in UTC is the next day in Berlin.
    expect(on('2026-11-16')).toMatchObject({
      counts: { completed: 0, planned: 1 },
      items: [{ kind: 'planned', at: '2026-11-15T23:30:00.000Z' }],
    });
    expect(on('2026-11-30')?.counts.planned).toBe(1);
    expect((await read('month=2026-10')).days.flatMap(({ entries }) => entries)).toEqual([]);
  });

  it('counts every slot of a day and lists only the first ones', async () => {
    await makeAgent(service, { schedule: '* * * * *' });
    const { days } = await read('month=2026-12');
    expect(days[0]?.entries[0]).toMatchObject({ counts: { planned: 1440 }, items: { length: 8 } });
  });

  it.each(['month=2026-13', 'month=2026-11&time_zone=Mars/Olympus', 'time_zone=UTC'])(
    'refuses %s',
    async (query) => {
      expect(await viewer.call(`GET /api/console/runs/calendar?${query}`)).toMatchObject({ status: 400 });
    },
  );
});
