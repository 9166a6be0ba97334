import type { EndUserLoggedEvent } from '@svc/contract/end-user-events';
import type { LoggedEvent } from '@svc/contract/events';
import type { OwnConversation, WantedConversation } from '../conversations/conversations.service.ts';
import { toLoggedEndUserEvent } from '../events/end-user-view.ts';
import { retraction, type Snapshot, toLoggedEvent } from '../events/event.ts';
import { eventLog } from '../events/event-log.ts';
import type { AcceptedTurn } from './admit/send-message.ts';
import type { TurnDependencies } from './turn-dependencies.ts';
import { turnStore } from './turns.store.ts';

const eventsPerPage = 1_000;
/** Each can hold a message of 32,000 characters, and anybody with a token can request them again and again. */
const eventsPerEndUserPage = 100;

/** What readers of a conversation need. */
export function createReading({
  database,
  conversations,
}: Pick<TurnDependencies, 'database' | 'conversations'>) {
  /**
   * After the last event that a reader saw, or before the open turn's first one, or at the end of the log. An id that does not
   * exist yet counts as the newest, so that it hides nothing.
   */
  async function startOfReading(
    workspaceId: string,
    wanted: WantedConversation,
    lastSeen: number | undefined,
  ): Promise<number> {
    const { id, lastSequence } = await conversations.getWanted(workspaceId, wanted);
    if (lastSeen !== undefined) return Math.min(lastSeen, lastSequence);
    const open = await turnStore.findOpen(database.within(workspaceId), workspaceId, id);
    if (!open) return lastSequence;
    return (await eventLog.firstOfTurn(database.within(workspaceId), workspaceId, id, open.id)) - 1;
  }

  return {
    startOfReading,

    /** Throws NOT_FOUND unless the caller may see the conversation. */
    async requireConversation(workspaceId: string, wanted: WantedConversation): Promise<void> {
      await conversations.getWanted(workspaceId, wanted);
    },

    /** The same for a repeated send, which reads one turn: before its first event, or after the last one seen. */
    async startOfRepeat(
      workspaceId: string,
      { conversation_id: conversationId, turn_id: turnId, first_event: first }: AcceptedTurn,
      lastSeen: number | undefined,
    ): Promise<number | 'all seen'> {
      // Throws NOT_FOUND if the conversation was deleted meanwhile: a stream of nothing would never end.
      const after = await startOfReading(workspaceId, { conversation_id: conversationId }, lastSeen ?? 0);
      if (lastSeen === undefined || lastSeen < first) return first - 1;
      // Read after the log: a turn that is still running now will end after everything the log held then.
      const turn = await turnStore.find(database.within(workspaceId), workspaceId, turnId);
      if (turn?.status === 'running') return after;
      const place = { conversationId, turnId, after };
      return (await eventLog.hasEnd(database.within(workspaceId), workspaceId, place)) ? after : 'all seen';
    },

    async listEvents(workspaceId: string, wanted: WantedConversation, after: number): Promise<LoggedEvent[]> {
      const { id } = await conversations.getWanted(workspaceId, wanted);
      const page = { after, limit: eventsPerPage };
      const rows = await eventLog.list(database.within(workspaceId), workspaceId, id, page);
      return rows.map(toLoggedEvent);
    },

    /** The same as its end user sees it. Only a page at the end of the log can be empty. */
    async listEndUserEvents(
      workspaceId: string,
      wanted: OwnConversation,
      after: number,
    ): Promise<EndUserLoggedEvent[]> {
      const { id } = await conversations.getWanted(workspaceId, wanted);
      const page = { after, limit: eventsPerEndUserPage };
      for (;;) {
        const rows = await eventLog.list(database.within(workspaceId), workspaceId, id, page);
        const seen = rows.flatMap((row) => toLoggedEndUserEvent(row) ?? []);
        if (seen.length > 0 || rows.length < page.limit) return seen;
        page.after = rows.at(-1)?.sequence ?? page.after;
      }
    },

    /** Previews that were lost in a crash, for readers that may still show one. */
    async retractions(workspaceId: string, conversationId: string): Promise<Snapshot[]> {
      const lost = await turnStore.listRetracted(database.within(workspaceId), workspaceId, conversationId);
      return lost.map(({ turnId, messageId }) => retraction(turnId, messageId));
    },
  };
}
