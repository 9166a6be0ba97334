import type { ChatStore } from './chat-state.ts';

/** A place-holder until the client's own arrives. */
export function createChatStore(_options: { service: string; key: string }): ChatStore {
  throw new Error('The chat store is missing.');
}
