import type { Database } from '../../database/database.ts';
import { type CallRow, callStore } from './store.ts';

export type { CallRow } from './store.ts';

/** Every call of a conversation, oldest first. */
export function listConversationCalls(
  database: Database,
  workspaceId: string,
  conversationId: string,
): Promise<CallRow[]> {
  return callStore.listOfConversation(database.within(workspaceId), workspaceId, conversationId);
}
