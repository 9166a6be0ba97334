import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createBus } from '../../src/bus/create-bus.ts';
import { sql } from '../../src/database/drizzle.ts';
import { createConversationFeed } from '../../src/events/conversation-feed.ts';
import { numbered, type StreamEvent } from '../../src/events/event.ts';
import { eventLog } from '../../src/events/event-log.ts';
import { followConversation } from '../../src/events/follow-conversation.ts';
import { createLiveReplies } from '../../src/turns/reply/live-replies.ts';
import { chatWith, eventually } from '../support/chat.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** Joining at the worst moments, which a client cannot hit on purpose. */
let service: TestApp;
let workspaceId: string;
let botId: string;
beforeAll(async () => {
  service = await startTestApp();
  const { body } = await service.call('POST /api/v1/bots', { body: { name: 'x', system_prompt: 'x' } });
  botId = body.id;
  workspaceId = (await service.call(`GET /api/v1/bots/${botId}`)).body.tenant_id;
});
afterAll(() => service.stop());

const truncated = { type: 'conversation.truncated' as const, data: { after_message_id: 'x' } };

async function setting() {
  const { database } = service;
  const conversationId = randomUUID();
  await database.acrossWorkspaces.execute(
    sql`insert into conversations (id, workspace_id, bot_id, channel, title)
        values (${conversationId}, ${workspaceId}, ${botId}, 'chat', 'x')`,
  );
  const feed = createConversationFeed(createBus({ log: pino({ level: 'silent' }) }));
  const replies = createLiveReplies({ feed, presence: { lapses: () => 0 } });
  feed.showReplies(replies.snapshots);
  const sent: StreamEvent[] = [];
  let whenDrained: (() => Promise<void> | void) | undefined;
  return {
    conversationId,
    feed,
    replies,
    sent,
    write: () =>
      database.acrossWorkspaces.transaction((tx) =>
        eventLog.append(tx, { conversationId, turnId: null, events: [truncated] }),
      ),
    /** Runs once, between reading the log and going live. */
    between(work: () => Promise<void> | void) {
      whenDrained = work;
    },
    follow: (after: number | undefined) =>
      followConversation(
        { database, feed, retractions: async () => [] },
        {
          workspaceId,
          conversationId,
          after,
          send: (events) => sent.push(...events),
          async drained() {
            const work = whenDrained;
            whenDrained = undefined;
            await work?.();
          },
          onFailed(error) {
            throw error;
          },
        },
      ),
    shown: () => sent.map(({ sequence, type, data }) => sequence ?? `${type} ${JSON.stringify(data)}`),
  };
}

it('shows a turn that begins at that moment before the text of its reply', async () => {
  const { between, feed, conversationId, follow: join, replies, shown, write } = await setting();
  await write();
  between(async () => {
    const first = await write();
    feed.publish(conversationId, numbered([truncated], first, 'turn'));
    const reply = replies.begin(
      { conversationId, turnId: 'turn' },
      { messageId: 'reply', retracted: [], isShown: true },
    );
    reply.append('Hel');
    reply.append('lo');
  });
  const leave = join(0);
  await eventually(shown).toEqual([1, 2, 'stream.snapshot {"message_id":"reply","text":"Hello"}']);
  leave();
});

it('sends nothing twice that is both in the log and on the way', async () => {
  const { between, feed, conversationId, follow: join, shown, write } = await setting();
  await write();
  await write();
  between(() => {
    // Already written and read, but published only now.
    feed.publish(conversationId, numbered([truncated, truncated], 1, null));
  });
  const leave = join(0);
  await eventually(shown).toEqual([1, 2]);
  feed.publish(conversationId, numbered([truncated], await write(), null));
  await eventually(shown).toEqual([1, 2, 3]);
  leave();
});

it('reads from the log what another node wrote, even between reading it and going live', async () => {
  const { between, feed, conversationId, follow: join, shown, write } = await setting();
  await write();
  const writeElsewhere = async () => {
    const number = await write();
    void feed.catchUp(conversationId, number);
  };
  between(writeElsewhere);
  const leave = join(0);
  await eventually(shown).toEqual([1, 2]);
  await writeElsewhere();
  await eventually(shown).toEqual([1, 2, 3]);
  leave();
});

it('reads from the log what was published out of order', async () => {
  const { feed, conversationId, follow: join, shown, write } = await setting();
  const leave = join(0);
  const [first, second, third] = [await write(), await write(), await write()];
  for (const number of [third, first, second]) {
    feed.publish(conversationId, numbered([truncated], number, null));
  }
  await eventually(shown).toEqual([1, 2, 3]);
  feed.publish(conversationId, numbered([truncated], await write(), null));
  await eventually(shown).toEqual([1, 2, 3, 4]);
  leave();
});

it('does not repeat a reply that the log has completed but that is still in memory', async () => {
  const { conversationId, follow: join, replies, sent, shown, feed } = await setting();
  const reply = replies.begin(
    { conversationId, turnId: 'turn' },
    { messageId: 'reply', retracted: [], isShown: true },
  );
  reply.append('Done.');
  const completed = { type: 'message.completed' as const, data: { message: { id: 'reply' } as never } };
  await service.database.acrossWorkspaces.transaction((tx) =>
    eventLog.append(tx, { conversationId, turnId: null, events: [completed] }),
  );
  const leave = join(0);
  await eventually(() => sent.length).toBe(1);
  reply.end();
  feed.publish(conversationId, numbered([completed], 1, 'turn'));
  expect(shown()).toEqual([1]);
  leave();
});

it('sends nothing after the reader has left', async () => {
  const { between, feed, conversationId, follow: join, sent, write } = await setting();
  await write();
  const left = Promise.withResolvers<void>();
  between(() => left.promise);
  const leave = join(0);
  await eventually(() => sent.length).toBe(1);
  leave();
  left.resolve();
  feed.publish(conversationId, numbered([truncated], await write(), null));
  expect(sent).toHaveLength(1);
});

it('retracts a preview that was retracted at that moment, even if its replacement is already complete', async () => {
  const { between, conversationId, follow: join, replies, shown, write } = await setting();
  await write();
  between(() => {
    const reply = replies.begin(
      { conversationId, turnId: 'turn' },
      { messageId: 'second', retracted: ['first'], isShown: true },
    );
    reply.append('Hello');
    reply.end();
  });
  const leave = join(0);
  await eventually(shown).toEqual([1, expect.stringMatching(/^stream.snapshot .*"first".*"text":""/)]);
  leave();
});

it('retracts a preview that a crash made void, even if the turn is over when the reader returns', async () => {
  const { conversationId, write } = await setting();
  await write();
  const [turnId, lost] = [randomUUID(), randomUUID()];
  await service.database.acrossWorkspaces.execute(
    sql`insert into turns (id, workspace_id, conversation_id, bot_id, status, retracted_ids)
        values (${turnId}, ${workspaceId}, ${conversationId}, ${botId}, 'completed', array[${lost}::uuid])`,
  );
  const reader = await chatWith(() => service).listen(conversationId, { after: 1 });
  expect((await reader.until('stream.snapshot')).data).toEqual({ message_id: lost, text: '' });
  reader.close();
});
