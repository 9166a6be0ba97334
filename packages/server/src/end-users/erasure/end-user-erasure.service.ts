import type { ErasedEndUser } from '@svc/contract/end-users';
import type { BillingService } from '../../billing/billing.service.ts';
import type { ConversationErasure } from '../../conversations/erasure/conversation-erasure.service.ts';
import type { IdempotencyService } from '../../idempotency/idempotency.service.ts';
import { AppError } from '../../lib/app-error.ts';
import type { TurnService } from '../../turns/turns.service.ts';
import type { EndUserService } from '../end-users.service.ts';

export interface EndUserErasureDependencies {
  erasure: ConversationErasure;
  turns: Pick<TurnService, 'stop'>;
  billing: Pick<BillingService, 'anonymizeUser'>;
  idempotency: Pick<IdempotencyService, 'forgetEndUser'>;
  endUsers: Pick<EndUserService, 'revoke'>;
}

export type EndUserErasure = ReturnType<typeof createEndUserErasure>;

/** Turns that are stopped together. */
const concurrency = 10;
/** A person who keeps writing can begin a turn after each that is stopped. */
const maxAttempts = 20;

/** Erases people: what they wrote and were answered is deleted, what that cost stays without their name. */
export function createEndUserErasure(dependencies: EndUserErasureDependencies) {
  const { erasure, turns, billing, idempotency, endUsers } = dependencies;
  return {
    /** Harmless when repeated, and for people who never wrote. */
    async erase(workspaceId: string, externalUserId: string): Promise<ErasedEndUser> {
      await endUsers.revoke(workspaceId, externalUserId);
      const wanted = await erasure.findAll(workspaceId, externalUserId);
      let deleted = 0;
      let oldest: string | undefined;
      for (let attempts = 0; ; attempts++) {
        deleted += await erasure.deleteIdle(workspaceId, wanted);
        const left = await erasure.listLeft(workspaceId, wanted, concurrency);
        if (left.length === 0) break;
        if (left[0] !== oldest) attempts = 0;
        if (attempts === maxAttempts) throw new AppError('TURN_IN_PROGRESS', { message: keepsWriting });
        oldest = left[0];
        await Promise.all(left.map((id) => stop(workspaceId, id)));
      }
      await billing.anonymizeUser(workspaceId, externalUserId);
      await idempotency.forgetEndUser(workspaceId, externalUserId);
      if (deleted === 0) await erasure.recordNothingErased(workspaceId);
      return { message: 'The person was erased.', deleted_conversations: deleted };
    },
  };

  async function stop(workspaceId: string, conversationId: string): Promise<void> {
    try {
      await turns.stop(workspaceId, conversationId, 'erasure');
    } catch (error) {
      // Another request has erased it meanwhile.
      if (!(error instanceof AppError && error.code === 'NOT_FOUND')) throw error;
    }
  }
}

const keepsWriting = 'The person keeps sending messages. Keep them from writing and try again.';
