import type { ChatStats } from '@svc/contract/chat';
import type { ApprovalService } from '../approvals/approvals.service.ts';
import { sumCosts, wireCost } from '../billing/billing.service.ts';
import type { ConversationRow, WantedConversation } from '../conversations/conversations.service.ts';
import { createConversationReview } from '../conversations/review/conversation-review.service.ts';
import { createAdmitTurn } from './admit/admit-turn.ts';
import { codeSessionOf } from './admit/code-options.ts';
import { type AcceptedTurn, createSend, type SendOptions } from './admit/send-message.ts';
import { createReading } from './reading.ts';
import { createDeleteConversation } from './run/delete-conversation.ts';
import type { RecentHistories } from './run/recent-histories.ts';
import type { TurnRunner } from './run/runner.ts';
import { createStopTurn } from './run/stop.ts';
import { createTruncate } from './run/truncate.ts';
import { createTruncatePreview } from './run/truncate-preview.ts';
import { createWaitForEnd } from './run/wait-for-end.ts';
import type { TurnDependencies } from './turn-dependencies.ts';
import { type TurnRow, turnStore } from './turns.store.ts';

export type { Admission, AdmittedTurn } from './admit/admission.ts';
export type { AcceptedTurn, SendOptions } from './admit/send-message.ts';
export type {
  FinalAnswer,
  Grade,
  KeptReply,
  Passage,
  ReplyOwner,
  ReplyQuality,
  WholeReply,
} from './reply/reply-quality.ts';
export type { TurnLease } from './run/lease.ts';
export type { TurnEnd } from './run/wait-for-end.ts';
export type { MadeToolCall, PlannedTurn, RevertedChange, TurnTools } from './turn-dependencies.ts';
export { stopChannel, type TurnRow } from './turns.store.ts';
export type { TurnOptions } from './turns.tables.ts';

export type TurnService = ReturnType<typeof createTurnService>;

export function createTurnService(
  dependencies: TurnDependencies & {
    approvals: Pick<ApprovalService, 'countPending'>;
    runner: TurnRunner;
    recent: Pick<RecentHistories, 'recall'>;
  },
) {
  const { database, branches, conversations, billing } = dependencies;
  const admitTurn = createAdmitTurn(dependencies);
  const stop = createStopTurn(dependencies);
  const review = createConversationReview(dependencies);

  const send = createSend({ ...dependencies, admitTurn });

  return {
    send,
    admitTurn,

    /** Answers a message of a conversation once more, or another text in the place of a user's message. */
    async answerAgain(
      row: ConversationRow,
      wanted: { messageId: string; content: string | undefined },
      options: Omit<SendOptions, 'branch' | 'channel' | 'codeSession'>,
    ): Promise<AcceptedTurn> {
      const branch = await branches.plan(row, wanted);
      const { workspaceId, id: conversation_id, externalUserId, channel } = row;
      if (externalUserId === null) throw new Error(`Conversation ${conversation_id} has no user.`);
      const message = { conversation_id, external_user_id: externalUserId, message: branch.content };
      // Where and how the turn worked, not what the conversation remembers of later ones.
      const repeated = await turnStore.find(database.within(workspaceId), workspaceId, branch.turnId);
      const codeSession = codeSessionOf(repeated?.options ?? {});
      return send(workspaceId, message, { ...options, channel, branch, codeSession });
    },

    /** Whether a conversation was held with this draft of a bot. */
    usesDraft: (workspaceId: string, botId: string, version: number): Promise<boolean> =>
      turnStore.usesDraft(database.within(workspaceId), workspaceId, botId, version),

    /** Waits until a turn no longer runs, on any node, and returns how it ended. */
    waitForEnd: createWaitForEnd(dependencies),

    stop,
    truncate: createTruncate({ ...dependencies, stop }),
    previewTruncate: createTruncatePreview({ ...dependencies, review }),
    deleteConversation: createDeleteConversation({ ...dependencies, stop }),
    ...createReading(dependencies),

    /** Every turn of a conversation, oldest first. */
    listOfConversation(workspaceId: string, conversationId: string): Promise<TurnRow[]> {
      return turnStore.listOfConversation(database.within(workspaceId), workspaceId, conversationId);
    },

    async stats(workspaceId: string, wanted: WantedConversation): Promise<ChatStats> {
      const { id: conversationId, messageCount } = await conversations.getWanted(workspaceId, wanted);
      const byModel = await billing.usageByModel(workspaceId, conversationId);
      const sum = (pick: (usage: (typeof byModel)[number]) => number) =>
        byModel.reduce((total, usage) => total + pick(usage), 0);
      const input = sum((usage) => usage.inputTokens);
      const output = sum((usage) => usage.outputTokens);
      return {
        conversation_id: conversationId,
        turns: await turnStore.count(database.within(workspaceId), workspaceId, conversationId),
        messages: messageCount,
        tool_calls: await conversations.countToolCalls(workspaceId, conversationId),
        input_tokens: input,
        cached_input_tokens: sum((usage) => usage.cachedInputTokens),
        output_tokens: output,
        total_tokens: input + output,
        ...wireCost(sumCosts(byModel.map(({ cost }) => cost))),
        by_model: byModel.map((usage) => ({
          model: usage.model,
          input_tokens: usage.inputTokens,
          output_tokens: usage.outputTokens,
          cost_usd: wireCost(usage.cost).cost_usd,
        })),
      };
    },
  };
}
