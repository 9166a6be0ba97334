import type { Database } from '../database/database.ts';
import { messageCountStore } from '../limits/limits.store.ts';
import { createMessageCounter, type MessageCounter } from '../limits/message-counter.ts';
import { createPostgresCounter } from '../limits/postgres-counter.ts';

export interface OpenedMessageCounter {
  counter: MessageCounter;
  /** Deletes counts whose window is over. */
  sweep(): Promise<void>;
}

/** Counts messages of end users, durably and together with all other processes. */
export function openMessageCounter({ counting, acrossWorkspaces }: Database): OpenedMessageCounter {
  return {
    counter: createMessageCounter(createPostgresCounter(counting, messageCountStore)),
    sweep: () => messageCountStore.deleteExpiredAcrossWorkspaces(acrossWorkspaces),
  };
}
