import type { ConversationService, ToolOutcome } from '../conversations/service.ts';
import type { Transaction } from '../database/database.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { newId } from '../new-id.ts';
import type { FinalReply, ReplyOwner, ReplyQuality } from '../turns/service.ts';
import { qualityStore } from './store.ts';
import { validationQueue } from './validation/queue.ts';

export interface KeeperDependencies {
  conversations: Pick<ConversationService, 'listToolOutcomes'>;
  jobs: Pick<Jobs, 'enqueue'>;
}

/** Writes down what became of a reply, in the reply's own transaction, and asks for its validation with it. */
export function createKeeper({ conversations, jobs }: KeeperDependencies): ReplyQuality['keep'] {
  async function isToBeValidated(tx: Transaction, owner: ReplyOwner, reply: FinalReply): Promise<boolean> {
    if (reply.bot.settings.enable_response_validation !== true || reply.refusedText !== null) return false;
    // It quotes its sources and can compare nothing.
    if (reply.modelId.startsWith('builtin/')) return false;
    if (reply.passages.length > 0) return true;
    return (await conversations.listToolOutcomes(tx, owner.workspaceId, owner)).some(isSource);
  }

  return async (tx, owner, reply) => {
    const { grade, message, refusedText, passages, isTraced } = reply;
    const validates = await isToBeValidated(tx, owner, reply);
    if (!grade && !validates) return;
    const id = newId();
    await qualityStore.insert(tx, owner.workspaceId, {
      id,
      botId: owner.botId,
      conversationId: owner.conversationId,
      turnId: owner.turnId,
      messageId: message.id,
      ...(grade && {
        grading: grade.score === null ? 'ungraded' : 'graded',
        score: grade.score,
        ungradedBecause: grade.problem,
        refused: refusedText !== null,
        refusedText,
      }),
      ...(validates && { validation: 'pending', passages: [...passages] }),
      createdAt: message.createdAt,
    });
    const { workspaceId } = owner;
    if (validates) await jobs.enqueue(tx, validationQueue, { workspaceId, recordId: id, isTraced });
  };
}

/** A call that came back with something, a failure included: an answer may not make up for it. */
export function isSource({ status }: ToolOutcome): boolean {
  return status === 'ok' || status === 'error';
}
