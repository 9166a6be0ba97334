import type { ConversationService, ToolOutcome } from '../conversations/conversations.service.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { newId } from '../lib/new-id.ts';
import type { ModelRegistry } from '../models/model-registry.ts';
import type { ReplyQuality } from '../turns/turns.service.ts';
import { qualityStore } from './quality.store.ts';
import { validationQueue } from './validation/reply-validation.queue.ts';

export interface KeeperDependencies {
  conversations: Pick<ConversationService, 'listToolOutcomes'>;
  models: Pick<ModelRegistry, 'ofBot'>;
  jobs: Pick<Jobs, 'enqueue'>;
}

/** Records the quality of replies in their own transactions. */
export function createKeeper(dependencies: KeeperDependencies): Pick<ReplyQuality, 'keep' | 'validateLater'> {
  const { conversations, models, jobs } = dependencies;
  return {
    async keep(tx, owner, { bot, grade, message, refusedText, passages }) {
      const isCompared = bot.settings.enable_response_validation === true && passages.length > 0;
      if (!grade && !isCompared) return;
      await qualityStore.insert(tx, owner.workspaceId, {
        ...placeOf(owner, message),
        ...(grade && {
          grading: grade.score === null ? 'ungraded' : 'graded',
          score: grade.score,
          ungradedBecause: grade.problem,
          refused: refusedText !== null,
          refusedText,
        }),
        ...(isCompared && { passages: [...passages] }),
      });
    },

    async validateLater(tx, owner, { bot, message }) {
      const { settings } = bot;
      if (settings.enable_response_validation !== true) return;
      // It quotes its sources and can compare nothing.
      if (!models.ofBot(settings).capabilities.instructions) return;
      const { workspaceId } = owner;
      const kept = await qualityStore.findOfMessage(tx, workspaceId, message.id);
      if (kept?.refused) return;
      const hasPassages = (kept?.passages.length ?? 0) > 0;
      if (!hasPassages && !(await conversations.listToolOutcomes(tx, workspaceId, owner)).some(isSource))
        return;
      const recordId = await qualityStore.setPending(tx, workspaceId, placeOf(owner, message));
      const isTraced = settings.enable_agent_tracing === true;
      await jobs.enqueue(tx, validationQueue, { workspaceId, recordId, isTraced });
    },
  };
}

/** A failed call is a source too: an answer must not invent what it did not return. */
export function isSource({ status }: ToolOutcome): boolean {
  return status === 'ok' || status === 'error';
}

function placeOf(
  owner: { botId: string; conversationId: string; turnId: string },
  { id, createdAt }: { id: string; createdAt: Date },
) {
  const { botId, conversationId, turnId } = owner;
  return { id: newId(), botId, conversationId, turnId, messageId: id, createdAt };
}
