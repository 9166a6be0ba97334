import type { Truncated } from '@svc/contract/conversations';
import type { ApprovalService } from '../../approvals/service.ts';
import { numbered } from '../../events/event.ts';
import { eventLog } from '../../events/log.ts';
import { turnInProgress } from '../admit/turn-in-progress.ts';
import type { TurnDependencies } from '../dependencies.ts';
import type { StopTurn } from './stop.ts';

export type Truncate = (workspaceId: string, conversationId: string, messageId: string) => Promise<Truncated>;

/** Removes everything after a message: messages, events and trace, so that no copy of the text remains. */
export function createTruncate({
  database,
  feed,
  conversations,
  approvals,
  stop,
}: Pick<TurnDependencies, 'database' | 'feed' | 'conversations'> & {
  approvals: Pick<ApprovalService, 'countPending'>;
  stop: StopTurn;
}): Truncate {
  return async (workspaceId, conversationId, messageId) => {
    // Checked before anything is stopped, so that a wrong id changes nothing.
    await conversations.requireMessage(workspaceId, conversationId, messageId);
    const pending = await approvals.countPending(workspaceId, conversationId);
    // A paused turn ends here, because what it would continue from is removed.
    if (pending > 0) await stop(workspaceId, conversationId, 'truncate');
    const { removed, events, first } = await database.transaction(async (tx) => {
      const { status } = await conversations.lock(tx, workspaceId, conversationId);
      if (status !== 'idle') throw turnInProgress(conversationId);
      const cut = await conversations.removeAfter(tx, workspaceId, conversationId, messageId);
      await eventLog.removeAfter(tx, workspaceId, conversationId, cut.sequence);
      const truncated = [{ type: 'conversation.truncated' as const, data: { after_message_id: messageId } }];
      const number = await eventLog.append(tx, {
        conversationId,
        turnId: null,
        events: truncated,
        messages: -cut.removed.length,
      });
      return { removed: cut.removed, events: truncated, first: number };
    });
    feed.publish(conversationId, numbered(events, first, null));
    return {
      message: 'Everything after that message was removed.',
      removed_messages: removed.length,
      cancelled_approvals: pending,
      executed_tool_calls: removed.flat().map(({ id, name }) => ({ id, name })),
    };
  };
}
