import type { Database } from '../../database/database.ts';
import { type CallRow, callStore } from './tool-calls.store.ts';

export type { CallRow } from './tool-calls.store.ts';

/** Every call of a conversation, oldest first. */
export function listConversationCalls(
  database: Database,
  workspaceId: string,
  conversationId: string,
): Promise<CallRow[]> {
  return callStore.listOfConversation(database.within(workspaceId), workspaceId, conversationId);
}
