import { AppError } from '../../app-error.ts';
import type { BillingService } from '../../billing/service.ts';
import type { EmbedderRegistry } from '../../models/embeddings/embedder-registry.ts';
import type { WorkspaceService } from '../../workspaces/service.ts';

export interface CheckBalanceOptions {
  embedders: Pick<EmbedderRegistry, 'costOf'>;
  billing: Pick<BillingService, 'checkBalance'>;
  workspaces: Pick<WorkspaceService, 'get'>;
}

/**
 * Throws when a workspace can not pay for a model's vectors: INSUFFICIENT_BALANCE, or VALIDATION_FAILED where nobody knows
 * what they cost. What follows may take the balance a little below zero. Says whether there is a balance to take it from.
 */
export type CheckBalance = (workspaceId: string, model: string) => Promise<boolean>;

export function createCheckBalance({ embedders, billing, workspaces }: CheckBalanceOptions): CheckBalance {
  return async (workspaceId, model) => {
    if (model.startsWith('builtin/')) return false;
    const { creditUsd } = await workspaces.get(workspaceId);
    if (creditUsd === null) return false;
    if (embedders.costOf(model, 1) === undefined) {
      throw new AppError('VALIDATION_FAILED', {
        message: `The price of ${model} is not known: set it in SVC_MODEL_PRICES before it is used with a balance.`,
      });
    }
    await billing.checkBalance(workspaceId, creditUsd);
    return true;
  };
}
