import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hang, text } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { endOfRun, makeAgent, playAgent } from '../support/agents.ts';
import { eventually, scriptedEnvironment } from '../support/chat.ts';
import { readSchedule, scheduleEveryMilliseconds, slotsOnRecord } from '../support/schedules.ts';
import { type Call, startTestApp, type TestApp } from '../support/test-app.ts';

let scripted: ScriptedModel;
let service: TestApp;
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
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
});
beforeEach(async () => {
  // Agents of other tests are deactivated.
  await service.database.acrossWorkspaces.raw("update bots set status = 'inactive', next_run_at = null");
  moveTo('2026-11-15T08:00:00Z');
  scripted.reset();
  playAgent(scripted, [[text('Four.')]]);
});

/** An agent that runs at nine every day. */
const daily = (fields: object = {}) => makeAgent(service, { schedule: '0 9 * * *', ...fields });

describe('a schedule', () => {
  it('runs its agent when a slot comes, exactly as a trigger without a body would', async () => {
    const agentId = await makeAgent(service, { schedule: 'TZ=Europe/Berlin 30 9 * * *' });
    expect(await readSchedule(service, agentId)).toEqual({
      schedule: 'TZ=Europe/Berlin 30 9 * * *',
      description: 'At 09:30, every day (Europe/Berlin)',
      time_zone: 'Europe/Berlin',
      next_run_at: '2026-11-15T08:30:00.000Z',
      last_run_at: null,
      recent: [],
    });
    moveTo('2026-11-15T08:30:00.400Z');
    const schedule = await slotsOnRecord(service, agentId, 1);
    const conversationId = schedule.recent[0]?.conversation_id ?? '';
    expect(schedule).toMatchObject({
      next_run_at: '2026-11-16T08:30:00.000Z',
      last_run_at: '2026-11-15T08:30:00.400Z',
      recent: [
        {
          slot_at: '2026-11-15T08:30:00.000Z',
          outcome: 'fired',
          reason: null,
          noted_at: '2026-11-15T08:30:00.400Z',
        },
      ],
    });
    const run = await endOfRun(service, conversationId);
    expect(run).toMatchObject({
      bot_id: agentId,
      channel: 'agent',
      status: 'completed',
      run: { trigger: 'schedule' },
      final_output: 'Four.',
    });
    expect(run.messages[0].content).toBe('Count the stars.');
    const { body: bot } = await service.call(`GET /api/v1/bots/${agentId}`);
    expect(bot).toMatchObject({
      next_run_at: '2026-11-16T08:30:00.000Z',
      last_run_at: '2026-11-15T08:30:00.400Z',
      updated_at: bot.created_at,
    });
  });

  it("has no effect on a chatbot, and is not read as an agent's", async () => {
    const botId = await makeAgent(service, { schedule: '0 9 * * *', bot_type: 'chatbot' });
    expect(await service.call(`GET /api/v1/bots/${botId}`)).toMatchObject({
      body: { schedule: '0 9 * * *', next_run_at: null },
    });
    expect(await service.call(`GET /api/v1/agents/${botId}/schedule`)).toMatchObject({ status: 404 });
  });

  it('may be none', async () => {
    expect(await readSchedule(service, await makeAgent(service))).toEqual({
      schedule: null,
      description: null,
      time_zone: null,
      next_run_at: null,
      last_run_at: null,
      recent: [],
    });
  });

  it.each([
    ['30 2 30 2 *', 'schedule never comes: the calendar has no such day'],
    ['0 25 * * *', 'schedule has "25" for the hour, which is not between 0 and 23'],
    ['TZ=Europe/Atlantis 0 9 * * *', 'schedule names an unknown time zone'],
    ['', 'schedule must have five fields: minute, hour, day of the month, month, day of the week'],
  ])('%j is refused', async (schedule, message) => {
    const body = { name: 'x', system_prompt: 'x', schedule };
    const refused = { status: 400, body: { code: 'VALIDATION_FAILED', message } };
    expect(await service.call('POST /api/v1/bots', { body })).toMatchObject(refused);
    const agentId = await daily();
    expect(await service.call(`PUT /api/v1/bots/${agentId}`, { body: { schedule } })).toMatchObject(refused);
    expect((await readSchedule(service, agentId)).schedule).toBe('0 9 * * *');
  });

  it('is computed again when it is changed, and only then', async () => {
    const agentId = await daily();
    const save = (body: object) => service.call(`PUT /api/v1/bots/${agentId}`, { body });
    const next = async () => (await readSchedule(service, agentId)).next_run_at;
    await save({ schedule: '0 12 * * *' });
    expect(await next()).toBe('2026-11-15T12:00:00.000Z');
    moveTo('2026-11-15T11:00:00Z');
    await save({ name: 'Renamed', schedule: '0 12 * * *' });
    expect(await next()).toBe('2026-11-15T12:00:00.000Z');
    await save({ schedule: 'TZ=Asia/Tokyo 0 12 * * *' });
    expect(await next()).toBe('2026-11-16T03:00:00.000Z');
    await save({ schedule: null });
    expect(await next()).toBeNull();
    moveTo('2026-11-17T12:00:00Z');
    const other = await daily();
    moveTo('2026-11-18T09:00:00Z');
    await slotsOnRecord(service, other, 1);
    expect((await readSchedule(service, agentId)).recent).toEqual([]);
  });

  it('is suspended while its agent is inactive, and continues with the next slot', async () => {
    const agentId = await daily();
    await service.call(`DELETE /api/v1/bots/${agentId}`);
    expect((await readSchedule(service, agentId)).next_run_at).toBeNull();
    moveTo('2026-11-15T09:10:00Z');
    await service.call(`PUT /api/v1/bots/${agentId}`, { body: { status: 'active' } });
    expect((await readSchedule(service, agentId)).next_run_at).toBe('2026-11-16T09:00:00.000Z');
    moveTo('2026-11-16T09:00:00Z');
    const { recent } = await slotsOnRecord(service, agentId, 1);
    expect(recent).toMatchObject([{ slot_at: '2026-11-16T09:00:00.000Z', outcome: 'fired' }]);
  });

  it('keeps the newest 200 slots on record', async () => {
    const agentId = await daily();
    await service.database.acrossWorkspaces.raw(
      `insert into schedule_slots (bot_id, slot_at, workspace_id, outcome, noted_at)
       select id, timestamptz '2026-11-15T08:59:00Z' - number * interval '1 hour', workspace_id, 'failed', now()
       from bots, generate_series(0, 199) as number where id = $1`,
      [agentId],
    );
    moveTo('2026-11-15T09:00:00Z');
    const newest = async () => (await readSchedule(service, agentId)).recent[0]?.slot_at;
    await eventually(newest).toBe('2026-11-15T09:00:00.000Z');
    const { recent } = await readSchedule(service, agentId);
    expect(recent).toHaveLength(200);
    expect(recent.at(-1)?.slot_at).toBe('2026-11-07T02:59:00.000Z');
  });
});

describe('a slot', () => {
  it('is skipped while a run is in progress, and the next one fires', async () => {
    const agentId = await daily({ schedule: '0 9,10,11 * * *' });
    scripted.respondWith([hang]);
    moveTo('2026-11-15T09:00:00Z');
    const first = (await slotsOnRecord(service, agentId, 1)).recent[0]?.conversation_id ?? '';
    moveTo('2026-11-15T10:00:00Z');
    expect((await slotsOnRecord(service, agentId, 2)).recent).toMatchObject([
      { outcome: 'skipped_busy', reason: 'A run was in progress.', conversation_id: null },
      { outcome: 'fired' },
    ]);
    expect(await readSchedule(service, agentId)).toMatchObject({
      next_run_at: '2026-11-15T11:00:00.000Z',
      last_run_at: '2026-11-15T09:00:00.000Z',
    });
    await service.call('POST /api/v1/chat/stop', { body: { conversation_id: first } });
    await endOfRun(service, first);
    playAgent(scripted, [[text('Four.')]]);
    moveTo('2026-11-15T11:00:00Z');
    expect((await slotsOnRecord(service, agentId, 3)).recent[0]).toMatchObject({ outcome: 'fired' });
  });

  it('is recorded as failed when no run can be started, and blocks neither later slots nor other agents', async () => {
    const aimless = await daily();
    // As it was stored before schedules needed a goal.
    await service.database.acrossWorkspaces.raw('update bots set agent_goal = null where id = $1', [aimless]);
    const other = await daily();
    moveTo('2026-11-15T09:00:00Z');
    const reason = 'The agent has no goal, so there is nothing to run.';
    const failed = { outcome: 'failed', reason, conversation_id: null };
    expect((await slotsOnRecord(service, aimless, 1)).recent).toMatchObject([failed]);
    expect((await slotsOnRecord(service, other, 1)).recent).toMatchObject([{ outcome: 'fired' }]);
    expect(await readSchedule(service, aimless)).toMatchObject({
      next_run_at: '2026-11-16T09:00:00.000Z',
      last_run_at: null,
    });
    await service.call(`PUT /api/v1/bots/${aimless}`, { body: { agent_goal: 'Find a goal.' } });
    moveTo('2026-11-16T09:00:00Z');
    expect((await slotsOnRecord(service, aimless, 2)).recent[0]).toMatchObject({ outcome: 'fired' });
  });

  it('that cannot be paid for says so', async () => {
    const poor = await service.makeWorkspace();
    await service.database.acrossWorkspaces.raw('update workspaces set credit_usd = 0 where id = $1', [
      poor.id,
    ]);
    const call: Call = (operation, options) => service.call(operation, { key: poor.key, ...options });
    const agentId = await makeAgent({ call }, { schedule: '0 9 * * *' });
    moveTo('2026-11-15T09:00:00Z');
    expect((await slotsOnRecord({ call }, agentId, 1)).recent).toMatchObject([
      { outcome: 'failed', reason: "The workspace's balance is used up.", conversation_id: null },
    ]);
  });

  it('of a schedule from an older version that cannot be parsed is recorded, and does not fire again', async () => {
    const agentId = await daily();
    await service.database.acrossWorkspaces.raw("update bots set schedule = '0 9 15W * *' where id = $1", [
      agentId,
    ]);
    moveTo('2026-11-15T09:00:00Z');
    expect(await slotsOnRecord(service, agentId, 1)).toMatchObject({
      schedule: '0 9 15W * *',
      description: null,
      next_run_at: null,
      recent: [{ outcome: 'failed', reason: 'The schedule cannot be read.' }],
    });
    const saved = await service.call(`PUT /api/v1/bots/${agentId}`, { body: { name: 'Renamed' } });
    expect(saved.status).toBe(200);
  });
});
