import type { WantedConversation } from '../conversations/service.ts';
import { eventLog } from '../events/log.ts';
import type { TurnDependencies } from './dependencies.ts';
import type { AcceptedTurn } from './service.ts';
import { turnStore } from './store.ts';

/** Where readers of a conversation begin. */
export function createReadingStarts({
  database,
  conversations,
}: Pick<TurnDependencies, 'database' | 'conversations'>) {
  /**
   * After the last event that a reader saw, or before the open turn's first one, or at the end of the log. An id that was
   * never given must not hide what comes: it counts as the newest.
   */
  async function startOfReading(
    workspaceId: string,
    wanted: WantedConversation,
    lastSeen: number | undefined,
  ): Promise<number> {
    const { id, lastSequence } = await conversations.getWanted(workspaceId, wanted);
    if (lastSeen !== undefined) return Math.min(lastSeen, lastSequence);
    const open = await turnStore.findOpen(database.query, workspaceId, id);
    if (!open) return lastSequence;
    return (await eventLog.firstOfTurn(database.query, workspaceId, id, open.id)) - 1;
  }

  return {
    startOfReading,

    /** The same for the repeat of a send, which reads one turn: before its first event, or after the last one it saw. */
    async startOfRepeat(
      workspaceId: string,
      { conversation_id: conversationId, turn_id: turnId, first_event: first }: AcceptedTurn,
      lastSeen: number | undefined,
    ): Promise<number | 'all seen'> {
      if (lastSeen === undefined || lastSeen < first) return first - 1;
      const after = await startOfReading(workspaceId, { conversation_id: conversationId }, lastSeen);
      // In this order: a turn that still runs now has its end after whatever the log held before.
      const turn = await turnStore.find(database.query, workspaceId, turnId);
      if (turn?.status === 'running') return after;
      const place = { conversationId, turnId, after };
      return (await eventLog.hasEnd(database.query, workspaceId, place)) ? after : 'all seen';
    },
  };
}
