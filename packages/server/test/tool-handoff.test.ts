import { afterAll, beforeAll, expect, it } from 'vitest';
import { createBotService } from '../src/bots/service.ts';
import { createConversationService } from '../src/conversations/service.ts';
import { sql } from '../src/database/drizzle.ts';
import { createHandoff } from '../src/tools/types/handoff.ts';
import { patienceMs } from './support/patience.ts';
import { startTestApp, type TestApp } from './support/test-app.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.stop());

type Row = { workspace_id: string; handoff_requested_at: Date | null; handoff_reason: string | null };

async function readFlag(conversationId: string): Promise<Row | undefined> {
  const { rows } = await service.database.query.execute<Row>(
    sql`select workspace_id, handoff_requested_at, handoff_reason from conversations where id = ${conversationId}`,
  );
  return rows[0];
}

it('flags the conversation for a person, once, and only in its own workspace', async () => {
  const bot = await service.call('POST /api/v1/bots', { body: { name: 'x', system_prompt: 'x' } });
  const body = { bot_id: bot.body.id, message: 'A person, please', external_user_id: 'u' };
  const { body: events } = await service.call('POST /api/v1/chat/send-stream', { body });
  const conversationId = /"conversation_id":"([^"]+)"/.exec(events)?.[1] ?? '';
  const before = await readFlag(conversationId);
  expect(before).toMatchObject({ handoff_requested_at: null, handoff_reason: null });

  const conversations = createConversationService({
    database: service.database,
    bots: {} as ReturnType<typeof createBotService>,
    runs: { latestOf: async () => new Map(), truncate: async () => undefined },
  });
  const type = createHandoff({ flag: conversations.flagForHandoff });
  const workspaceId = before?.workspace_id ?? '';
  const tool = { id: undefined, workspaceId, name: 'handoff', description: 'x', configuration: {} };
  const signal = AbortSignal.timeout(patienceMs);
  const [first] = await type.functions(tool, signal);
  const flag = (reason: string, owner = workspaceId) =>
    first?.run(
      { reason },
      { workspaceId: owner, botId: undefined, conversationId, signal, onProgress: () => undefined },
    );

  const other = await service.makeWorkspace();
  expect(await flag('Not mine', other.id)).toMatchObject({ status: 'error' });
  expect((await readFlag(conversationId))?.handoff_requested_at).toBeNull();

  expect(await flag('Wants a refund')).toMatchObject({ status: 'ok', result: { reason: 'Wants a refund' } });
  const flagged = await readFlag(conversationId);
  expect(flagged).toMatchObject({
    handoff_reason: 'Wants a refund',
    handoff_requested_at: expect.anything(),
  });
  expect(await flag('Still waits')).toMatchObject({ status: 'ok' });
  const again = await readFlag(conversationId);
  expect(again).toEqual({ ...flagged, handoff_reason: 'Still waits' });
});
