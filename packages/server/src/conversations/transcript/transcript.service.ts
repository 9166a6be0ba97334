import type { Transaction } from '../../database/database.ts';
import { type NewEvent, numbered } from '../../events/event.ts';
import { eventLog } from '../../events/event-log.ts';
import type { Services } from '../../services.ts';
import { conversationStore } from '../conversations.store.ts';
import { textMessage, toWireMessage } from '../message.ts';
import { transcriptStore } from './transcript.store.ts';

export interface SpokenText {
  /** Of the new message. */
  id: string;
  role: 'user' | 'assistant';
  text: string;
}

interface HeardPart {
  messageId: string;
  heard: string;
}

export type Transcript = ReturnType<typeof createTranscript>;

/**
 * What was said outside of turns, such as a greeting, and what was really heard of replies. A conversation that was deleted in the
 * meantime is left alone.
 */
export function createTranscript({ database, feed, clock }: Pick<Services, 'clock' | 'database' | 'feed'>) {
  /** The same as `cut`; what is returned is to be called after the commit. */
  async function cutWithin(
    tx: Transaction,
    workspaceId: string,
    conversationId: string,
    { messageId, heard }: HeardPart,
  ): Promise<() => void> {
    const isThere = await conversationStore.lock(tx, workspaceId, conversationId);
    const cut = { id: messageId, content: heard };
    const row = isThere && (await transcriptStore.cut(tx, workspaceId, conversationId, cut));
    if (!row) return () => undefined;
    const events: NewEvent[] = [{ type: 'message.completed', data: { message: toWireMessage(row) } }];
    const first = await eventLog.append(tx, { conversationId, turnId: row.turnId, events });
    return () => feed.publish(conversationId, numbered(events, first, row.turnId), workspaceId);
  }

  return {
    /** Adds what a person or the bot said outside of turns. */
    async add(workspaceId: string, conversationId: string, spoken: SpokenText): Promise<void> {
      const message = textMessage(spoken.id, spoken.role, spoken.text, clock.now());
      const events: NewEvent[] = [{ type: 'message.completed', data: { message: toWireMessage(message) } }];
      const first = await database.within(workspaceId).transaction(async (tx) => {
        if (!(await conversationStore.lock(tx, workspaceId, conversationId))) return undefined;
        const sequence = await eventLog.append(tx, { conversationId, turnId: null, events, messages: 1 });
        await transcriptStore.insert(tx, workspaceId, { conversationId, sequence }, message);
        return sequence;
      });
      if (first !== undefined) feed.publish(conversationId, numbered(events, first, null), workspaceId);
    },

    /** Shortens what the bot said to what was heard of it; readers get the message once more. */
    async cut(workspaceId: string, conversationId: string, heard: HeardPart): Promise<void> {
      const tellReaders = await database
        .within(workspaceId)
        .transaction((tx) => cutWithin(tx, workspaceId, conversationId, heard));
      tellReaders();
    },

    cutWithin,
  };
}
