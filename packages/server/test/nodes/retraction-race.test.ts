import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { createBus } from '../../src/bus/create-bus.ts';
import { sql } from '../../src/database/drizzle.ts';
import { createConversationFeed } from '../../src/events/conversation-feed.ts';
import { retraction } from '../../src/events/event.ts';
import { followConversation } from '../../src/events/follow-conversation.ts';
import { eventually } from '../support/chat.ts';
import { createTestDatabase } from '../support/test-database.ts';

it('a reader that gets the end of a turn from the log gets its retractions too', async () => {
  const { database, drop } = await createTestDatabase();
  onTestFinished(drop);
  const { rows } = await database.acrossWorkspaces.execute<{ id: string; workspaceId: string }>(
    sql`with workspace as (insert into workspaces (id, name) values (gen_random_uuid(), 'x') returning id),
      bot as (insert into bots (id, workspace_id, name, system_prompt) select gen_random_uuid(), id, 'x', 'x' from workspace
        returning id, workspace_id)
      insert into conversations (id, workspace_id, bot_id, channel, title)
      select gen_random_uuid(), workspace_id, id, 'chat', 'x' from bot returning id, workspace_id as "workspaceId"`,
  );
  const [{ id, workspaceId } = { id: '', workspaceId: '' }] = rows;
  const turnId = crypto.randomUUID();
  const ended = [{ type: 'turn.interrupted', data: { turn_id: turnId, by: 'api' } }];
  const retracted = [retraction(turnId, crypto.randomUUID())];
  const feed = createConversationFeed(createBus({ log: pino({ level: 'silent' }) }));
  let reads = 0;
  /** The turn is ended by another node just after its retractions were read for the first time. */
  const retractions = async () => {
    if ((reads += 1) > 1) return retracted;
    await database.acrossWorkspaces.execute(
      sql`select append_events(${id}, null, ${JSON.stringify(ended)}, null, 0)`,
    );
    return [];
  };
  const seen: string[] = [];
  const unfollow = followConversation(
    { database, feed, retractions },
    {
      workspaceId,
      conversationId: id,
      after: 0,
      send: (events) => void seen.push(...events.map(({ type }) => type)),
      drained: async () => undefined,
      onFailed: (error) => void seen.push(String(error)),
    },
  );
  onTestFinished(unfollow);
  await eventually(async () => {
    await feed.catchUp(id);
    return seen;
  }).toContain('turn.interrupted');
  expect(seen.slice(0, 2)).toEqual(['stream.snapshot', 'turn.interrupted']);
});
