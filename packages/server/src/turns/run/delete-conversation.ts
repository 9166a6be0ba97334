import { createConversationErasure } from '../../conversations/erasure/conversation-erasure.service.ts';
import { turnInProgress } from '../admit/turn-in-progress.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import type { StopTurn } from './stop.ts';

/** Its user can begin another turn after each that is stopped. */
const maxAttempts = 20;

/** Stops what is running in a conversation, and deletes it. */
export function createDeleteConversation({
  database,
  billing,
  stop,
}: Pick<TurnDependencies, 'database' | 'billing'> & { stop: StopTurn }) {
  const erasure = createConversationErasure({ database, billing });
  return async (workspaceId: string, conversationId: string): Promise<void> => {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      if ((await erasure.deleteOne(workspaceId, conversationId)) === 'deleted') return;
      await stop(workspaceId, conversationId, 'erasure');
    }
    throw turnInProgress(conversationId);
  };
}
