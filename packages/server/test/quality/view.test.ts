import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BotRow } from '../../src/bots/bots.service.ts';
import { botStore } from '../../src/bots/bots.store.ts';
import { sql } from '../../src/database/drizzle.ts';
import { notFound } from '../../src/lib/app-error.ts';
import { createQualityService, type QualityService } from '../../src/quality/quality.service.ts';
import { text, toolCall } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { chatWith, eventually, type SaidTurn, scriptedEnvironment } from '../support/chat.ts';
import { assignTools, claims, judge, recordsOf, score } from '../support/quality.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let scripted: ScriptedModel;
let service: TestApp;
let quality: QualityService;
let now: Date;
let workspaceId: string;
let botId: string;
const chat = chatWith(() => service);
beforeAll(async () => {
  scripted = await startScriptedModel();
  const clock = { now: () => new Date(now) };
  now = new Date('2026-03-10T12:00:00Z');
  service = await startTestApp({ environment: scriptedEnvironment(scripted), clock });
  const { database } = service;
  const bots = {
    async getRow(workspace: string, id: string): Promise<BotRow> {
      const row = await botStore.find(database.acrossWorkspaces, workspace, id);
      if (!row) throw notFound();
      return row;
    },
  };
  quality = createQualityService({ database, bots, clock });
  workspaceId = (await service.call(`GET /api/v1/bots/${await chat.bot()}`)).body.tenant_id;
});
beforeEach(async () => {
  scripted.reset();
  botId = await makeBot();
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
});

async function makeBot(): Promise<string> {
  const id = await chat.bot({ enable_confidence_scoring: true, enable_response_validation: true });
  await assignTools(service.call, id, [{ tool_type: 'calculator' }]);
  return id;
}

/** A turn with a grade, and with a verdict when claims are given. */
async function turn(at: string, value: unknown, found?: string[], bot = botId): Promise<SaidTurn> {
  now = new Date(at);
  const calls = found ? [[toolCall('calculator', { expression: '1' })]] : [];
  judge(scripted, {
    replies: [...calls, [text(`Said at ${at}`)]],
    grades: [score(value)],
    verdicts: [claims(...(found ?? []))],
  });
  const said = await chat.say({ bot_id: bot });
  const verdict = async () => (await recordsOf(service.database, said.conversationId))[0]?.['validation'];
  if (found) await eventually(verdict).toBe('validated');
  return said;
}

describe('records of a bot', () => {
  it('are listed newest first, page by page, with everything that is known', async () => {
    const turns: SaidTurn[] = [];
    for (const minute of [1, 2, 3, 4, 5]) turns.push(await turn(`2026-03-10T12:0${minute}:00Z`, 0.5));
    const first = await quality.list(workspaceId, botId, { limit: 2 });
    const second = await quality.list(workspaceId, botId, { limit: 2, before: first.next });
    const third = await quality.list(workspaceId, botId, { limit: 2, before: second.next });
    const seen = [...first.records, ...second.records, ...third.records].map((one) => one.turn_id);
    expect(seen).toEqual(turns.map(({ turnId }) => turnId).toReversed());
    expect(third.next).toBeUndefined();
    expect(first.records[0]).toEqual({
      id: expect.any(String),
      bot_id: botId,
      conversation_id: turns[4]?.conversationId,
      turn_id: turns[4]?.turnId,
      message_id: turns[4]?.messageId,
      grading: 'graded',
      score: 0.5,
      ungraded_because: null,
      refused: false,
      refused_text: null,
      validation: null,
      validation_problem: null,
      verdict: null,
      unsupported_claims: [],
      created_at: '2026-03-10T12:05:00.000Z',
      validated_at: null,
    });
  });

  it('can be filtered by refused and by unsupported', async () => {
    await turn('2026-03-10T12:00:00Z', 1);
    const refused = await turn('2026-03-10T12:01:00Z', 0.1);
    const unsupported = await turn('2026-03-10T12:02:00Z', 1, ['a claim']);
    await turn('2026-03-10T12:03:00Z', 1, []);
    const listed = async (filter: object) =>
      (await quality.list(workspaceId, botId, filter)).records.map((one) => one.turn_id);
    expect(await listed({ refused: true })).toEqual([refused.turnId]);
    expect(await listed({ unsupported: true })).toEqual([unsupported.turnId]);
    expect(await listed({})).toHaveLength(4);
    const [record] = (await quality.list(workspaceId, botId, { refused: true })).records;
    expect(record).toMatchObject({ refused_text: 'Said at 2026-03-10T12:01:00Z', score: 0.1 });
  });
});

describe('the summary', () => {
  it('counts by day in UTC and in total', async () => {
    await turn('2026-03-08T23:59:59.999Z', 1);
    await turn('2026-03-09T00:00:00Z', 0.8);
    await turn('2026-03-09T12:00:00Z', 0.2);
    await turn('2026-03-09T13:00:00Z', 'no grade');
    await turn('2026-03-10T00:00:00Z', 0.9, []);
    await turn('2026-03-10T01:00:00Z', 0.5, ['x', 'y']);
    now = new Date('2026-03-10T20:00:00Z');
    const none = { refused: 0, ungraded: 0, validated: 0, supported: 0, unsupported: 0 };
    expect(await quality.summary(workspaceId, 4, botId)).toEqual({
      days: [
        { ...none, date: '2026-03-07', graded: 0, average_score: null },
        { ...none, date: '2026-03-08', graded: 1, average_score: 1 },
        { ...none, date: '2026-03-09', graded: 2, average_score: 0.5, refused: 1, ungraded: 1 },
        {
          ...none,
          date: '2026-03-10',
          graded: 2,
          average_score: 0.7,
          validated: 2,
          supported: 1,
          unsupported: 1,
        },
      ],
      total: {
        graded: 5,
        average_score: 0.68,
        refused: 1,
        ungraded: 1,
        validated: 2,
        supported: 1,
        unsupported: 1,
      },
    });
    // Older records are not counted.
    expect((await quality.summary(workspaceId, 1, botId)).total).toMatchObject({ graded: 2, refused: 0 });
  });

  it('covers one bot or all bots of the workspace', async () => {
    await turn('2026-01-05T12:00:00Z', 1);
    await turn('2026-01-05T12:00:00Z', 0, undefined, await makeBot());
    now = new Date('2026-01-05T13:00:00Z');
    const ofDay = async (bot?: string) => (await quality.summary(workspaceId, 1, bot)).days[0];
    expect(await ofDay(botId)).toMatchObject({ graded: 1, average_score: 1, refused: 0 });
    expect((await ofDay())?.graded).toBeGreaterThanOrEqual(2);
    expect((await ofDay())?.refused).toBeGreaterThanOrEqual(1);
  });
});

it('another workspace sees neither the bot nor its records', async () => {
  await turn('2026-03-10T12:00:00Z', 0.1);
  const other = await service.makeWorkspace();
  for (const id of [botId, randomUUID()]) {
    await expect(quality.list(other.id, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(quality.summary(other.id, 30, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  }
  expect((await quality.summary(other.id, 30)).total).toMatchObject({ graded: 0, refused: 0 });
});

it('truncating a conversation removes the later records with their texts', async () => {
  now = new Date('2026-03-10T12:00:00Z');
  const user = { bot_id: botId, external_user_id: randomUUID() };
  judge(scripted, {
    replies: [[text('First.')], [text('Unspeakable second.')], [text('Unspeakable third.')]],
    grades: [score(1), score(0.1), score(0.2)],
  });
  const first = await chat.say(user);
  await chat.say(user);
  await chat.say(user);
  expect(await recordsOf(service.database, first.conversationId)).toHaveLength(3);
  const answer = await service.call(`POST /api/v1/conversations/${first.conversationId}/truncate`, {
    body: { message_id: first.messageId },
  });
  expect(answer.status).toBe(200);
  expect(await recordsOf(service.database, first.conversationId)).toMatchObject([{ turn_id: first.turnId }]);
  const { rows } = await service.database.acrossWorkspaces.execute(
    sql`select r::text as found from quality_records r union all select t::text from trace_steps t
        union all select m::text from messages m union all select e::text from events e
        union all select j.data::text from pgboss.job j`,
  );
  expect(JSON.stringify(rows)).not.toContain('Unspeakable');
});
