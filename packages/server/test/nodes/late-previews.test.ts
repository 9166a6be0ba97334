import { expect, it, onTestFinished } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { createConversationFeed } from '../../src/events/conversation-feed.ts';
import { live, type StreamEvent } from '../../src/events/event.ts';
import { followConversation } from '../../src/events/follow-conversation.ts';
import { useBuses } from '../bus/use-buses.ts';
import { eventually } from '../support/chat.ts';
import { createTestDatabase } from '../support/test-database.ts';

const use = useBuses();
const delta = (turnId: string, text: string) =>
  live(turnId, { type: 'message.delta', data: { message_id: crypto.randomUUID(), offset: 0, text } });
const started = (turnId: string, sequence: number) =>
  ({ type: 'turn.started', sequence, turnId, data: { turn_id: turnId } }) as unknown as StreamEvent;

it('a reader that has the end of a turn is not shown previews of it that arrive late', async () => {
  const { database, drop } = await createTestDatabase();
  onTestFinished(drop);
  const [turnId, nextTurnId] = [crypto.randomUUID(), crypto.randomUUID()];
  const log = ['turn.started', 'turn.completed'].map((type) => ({ type, data: { turn_id: turnId } }));
  const { rows } = await database.acrossWorkspaces.execute<{ id: string; workspaceId: string }>(
    sql`with workspace as (insert into workspaces (id, name) values (gen_random_uuid(), 'x') returning id),
      bot as (insert into bots (id, workspace_id, name, system_prompt) select gen_random_uuid(), id, 'x', 'x' from workspace
        returning id, workspace_id)
      insert into conversations (id, workspace_id, bot_id, channel, title)
      select gen_random_uuid(), workspace_id, id, 'chat', 'x' from bot returning id, workspace_id as "workspaceId"`,
  );
  const [{ id, workspaceId } = { id: '', workspaceId: '' }] = rows;
  await database.acrossWorkspaces.execute(
    sql`select append_events(${id}, ${turnId}, ${JSON.stringify(log)}, null, 0)`,
  );
  const server = await use.server();
  const [writer, reader] = [
    createConversationFeed(use.bus(server.url)),
    createConversationFeed(use.bus(server.url)),
  ];
  const seen: string[] = [];
  const unfollow = followConversation(
    { database, feed: reader, retractions: async () => [] },
    {
      workspaceId,
      conversationId: id,
      after: log.length,
      send: (events) =>
        void seen.push(
          ...events.map((event) => (event.type === 'message.delta' ? event.data.text : event.type)),
        ),
      drained: async () => undefined,
      onFailed: (error) => void seen.push(String(error)),
    },
  );
  onTestFinished(unfollow);
  // Until the log is read and the subscription stands.
  await eventually(() => {
    writer.publish(id, [live(turnId, { type: 'tool.progress', data: { tool_call_id: 'x', text: 'x' } })]);
    return seen;
  }).toContain('tool.progress');
  // What the writer could not send while the turn ran.
  writer.publish(id, [started(turnId, 1)]);
  writer.publish(id, [delta(turnId, 'Old')]);
  writer.publish(id, [started(nextTurnId, log.length + 1)]);
  writer.publish(id, [delta(nextTurnId, 'New')]);
  await eventually(() => seen).toContain('New');
  expect(seen.filter((text) => text !== 'tool.progress')).toEqual(['turn.started', 'New']);
});
