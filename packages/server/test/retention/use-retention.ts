import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { chatWith } from '../support/chat.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** The moment at which the rounds of tests begin. */
export const now = new Date('2031-05-20T12:00:00.000Z');
export const clock = { now: () => now };
export const day = 86_400;
export const secondsBefore = (seconds: number) => new Date(now.getTime() - seconds * 1_000).toISOString();

/** Everything is kept for ever. */
export const forEver = {
  conversations_days: null,
  traces_days: null,
  events_days: null,
  recordings_days: null,
  audit_days: null,
};

export type Counted = 'events' | 'trace_steps' | 'messages' | 'audit_entries';

/** A service, and a workspace with a bot for each test. */
export function useRetention() {
  let service: TestApp;
  const place = { key: '', workspaceId: '', botId: '' };
  beforeAll(async () => {
    service = await startTestApp();
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    const { key, id: workspaceId } = await service.makeWorkspace();
    Object.assign(place, { key, workspaceId });
    const body = { name: 'Bot', system_prompt: 'x', settings: { enable_agent_tracing: true } };
    place.botId = (await call('POST /api/v1/bots', body)).id;
  });
  const chat = chatWith(() => ({
    ...service,
    key: place.key,
    call: (operation) => service.call(operation, place),
  }));
  const run = (statement: ReturnType<typeof sql>) => service.database.acrossWorkspaces.execute(statement);

  async function call(operation: string, body?: unknown) {
    const answer = await service.call(operation, { key: place.key, body });
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  }

  return {
    place,
    chat,
    run,
    /** The body of an answer that is not an error. */
    call,
    service: () => service,
    answerTo: (operation: string, body?: unknown) => service.call(operation, { key: place.key, body }),

    /** A conversation of its own for each message. */
    say: async (user = 'ada', changes: object = {}): Promise<string> =>
      (
        await chat.say({
          bot_id: place.botId,
          external_user_id: user,
          new_conversation: true,
          message: 'Hello',
          ...changes,
        })
      ).conversationId,

    keep: (days: Partial<Record<keyof typeof forEver, number>>) =>
      call('PUT /api/v1/retention', { ...forEver, ...days }),

    /** Everything of the conversation happened at this moment. */
    async age(id: string, at: string): Promise<void> {
      const moment = sql`${at}::timestamptz`;
      await run(
        sql`update conversations set created_at = ${moment}, updated_at = ${moment}, last_message_at = ${moment} where id = ${id}`,
      );
      await run(sql`update events set created_at = ${moment} where conversation_id = ${id}`);
      await run(sql`update trace_steps set started_at = ${moment} where conversation_id = ${id}`);
      await run(sql`update call_recordings set created_at = ${moment} where call_id = ${id}`);
    },

    async count(table: Counted, id?: string): Promise<number> {
      const of = id === undefined ? sql`` : sql`and conversation_id = ${id}`;
      const { rows } = await run(
        sql`select count(*)::int as count from ${sql.identifier(table)} where workspace_id = ${place.workspaceId} ${of}`,
      );
      return Number(rows[0]?.['count']);
    },

    statusOf: async (id: string): Promise<number> =>
      (await service.call(`GET /api/v1/conversations/${id}`, { key: place.key })).status,

    lastRound: async (): Promise<Record<string, number>> =>
      (await call('GET /api/v1/retention')).last_round.deleted,
  };
}
