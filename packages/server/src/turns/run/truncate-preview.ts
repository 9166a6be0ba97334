import type { Truncated } from '@svc/contract/truncate';
import type { ApprovalService } from '../../approvals/approvals.service.ts';
import type { ConversationReview } from '../../conversations/review/conversation-review.service.ts';

export type TruncatePreview = (
  workspaceId: string,
  conversationId: string,
  messageId: string,
) => Promise<Truncated>;

/** What a truncation would remove at the moment, without doing it. */
export function createTruncatePreview({
  review,
  approvals,
}: {
  review: Pick<ConversationReview, 'findRemovable'>;
  approvals: Pick<ApprovalService, 'countPending'>;
}): TruncatePreview {
  return async (workspaceId, conversationId, messageId) => {
    const { count, effects } = await review.findRemovable(workspaceId, conversationId, messageId);
    return {
      message: 'Nothing was removed.',
      removed_messages: count,
      cancelled_approvals: await approvals.countPending(workspaceId, conversationId),
      executed_tool_calls: effects.map(({ id, name }) => ({ id, name })),
    };
  };
}
