import type { Database } from '../../database/database.ts';
import { type ToolCallRow, toolCallStore } from './tool-calls.store.ts';

export type { ToolCallRow } from './tool-calls.store.ts';

/** Every call of a conversation, oldest first. */
export function listToolCalls(
  database: Database,
  workspaceId: string,
  conversationId: string,
): Promise<ToolCallRow[]> {
  return toolCallStore.listOfConversation(database.within(workspaceId), workspaceId, conversationId);
}
