import type { StreamEvent } from './event.ts';

export interface EventHandler {
  onEvents(events: readonly StreamEvent[]): void;
  /** What happens next is no longer told here: readers must come back and find it in the log. */
  onLost(): void;
  /** The log has something that is not told here. */
  onBehind?(): void;
}

/** Carries events to the readers of a conversation. Loses nothing on the way, keeps nothing for later. */
export interface EventBus {
  /** Events that belong together travel together. */
  publish(conversationId: string, events: readonly StreamEvent[]): void;
  /** Another node has the conversation's turn now. */
  lose(conversationId: string): void;
  /** Another node wrote in the conversation: readers find it in the log. */
  fallBehind(conversationId: string): void;
  /** Calls the handler until the returned function is called. */
  subscribe(conversationId: string, handler: EventHandler): () => void;
}

export function createInProcessBus(): EventBus {
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
