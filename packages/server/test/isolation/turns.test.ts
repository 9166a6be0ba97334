import { afterAll, beforeAll, expect, it } from 'vitest';
import { botStore } from '../../src/bots/bots.store.ts';
import { sql } from '../../src/database/drizzle.ts';
import { newId } from '../../src/lib/new-id.ts';
import { newTurn } from '../../src/turns/admit/new-turn.ts';
import { turnStore } from '../../src/turns/turns.store.ts';
import { createCall, startTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.stop());

/** A workspace with a bot, and a conversation with it. */
async function makeWorkspace() {
  const { id, key } = await service.makeWorkspace();
  const call = createCall(service.url, key);
  const { body } = await call('POST /api/v1/bots', {
    body: { name: 'Host', system_prompt: 'You are a host.' },
  });
  const bot = await botStore.find(service.database.within(id), id, body.id);
  if (!bot) throw new Error('The bot is missing.');
  const message = { bot_id: bot.id, external_user_id: 'ann', message: 'Hello!' };
  await call('POST /api/v1/chat/send-stream', { body: message });
  const [conversation] = (await call('GET /api/v1/conversations')).body;
  return { id, bot, conversationId: conversation.id as string };
}

// These statements are not behind the policies: see turns/write/statements.ts.
it('is admitted to conversations of its own workspace only', async () => {
  const { database } = service;
  const [own, other] = [await makeWorkspace(), await makeWorkspace()];
  const admit = (conversationId: string) => {
    const wanted = {
      turnId: newId(),
      workspaceId: own.id,
      bot: own.bot,
      channel: 'chat',
      conversationId,
    } as const;
    const turn = newTurn(
      { ...wanted, text: 'Hello again!', options: {} },
      { nodeId: newId(), isMetered: false, now: new Date() },
    );
    return turnStore.admit(database.acrossWorkspaces, own.id, turn);
  };
  const countEvents = async () =>
    (
      await database.acrossWorkspaces.execute(
        sql`select count(*)::int as count from events where conversation_id = ${other.conversationId}`,
      )
    ).rows;
  const before = await countEvents();
  expect(await admit(other.conversationId)).toEqual({ kind: 'busy' });
  expect(await countEvents()).toEqual(before);
  expect(await admit(newId())).toEqual({ kind: 'deleted' });
  expect(await admit(own.conversationId)).toMatchObject({ kind: 'admitted' });
});
