import type { StreamEvent } from './event.ts';

export interface EventHandler {
  onEvents(events: readonly StreamEvent[]): void;
  /** No further events arrive here: readers must reconnect and continue from the log. */
  onLost(): void;
  /** The log has events that were not published on this node. */
  onBehind?(): void;
}

/** Carries events to the connected readers of a conversation. Nothing is kept for readers that connect later. */
export interface ConversationFeed {
  /** Events published together are delivered together. */
  publish(conversationId: string, events: readonly StreamEvent[]): void;
  /** Another node has the conversation's turn now: ends the readers here. */
  lose(conversationId: string): void;
  /** Another node wrote in the conversation: readers here catch up from the log. */
  fallBehind(conversationId: string): void;
  /** Calls the handler until the returned function is called. */
  subscribe(conversationId: string, handler: EventHandler): () => void;
}

export function createConversationFeed(): ConversationFeed {
  const handlers = new Map<string, Set<EventHandler>>();
  return {
    publish(conversationId, events) {
      for (const handler of handlers.get(conversationId) ?? []) handler.onEvents(events);
    },
    lose(conversationId) {
      for (const handler of handlers.get(conversationId) ?? []) handler.onLost();
    },
    fallBehind(conversationId) {
      for (const handler of handlers.get(conversationId) ?? []) handler.onBehind?.();
    },
    subscribe(conversationId, handler) {
      const others = handlers.get(conversationId) ?? new Set();
      handlers.set(conversationId, others.add(handler));
      return () => {
        others.delete(handler);
        if (others.size === 0) handlers.delete(conversationId);
      };
    },
  };
}
