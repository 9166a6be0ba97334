import { formatUsd } from '../../lib/money.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import { turnStore } from '../turns.store.ts';
import type { UsageEntry } from '../write/step-changes.ts';
import { settle } from '../write/write-step.ts';
import type { TurnLease } from './lease.ts';

/** Releases an unfinished turn, for any node to take immediately. What its current reply has used so far is paid for. */
export async function handOver(
  lease: TurnLease,
  spent: readonly UsageEntry[],
  { database, billing }: Pick<TurnDependencies, 'database' | 'billing'>,
): Promise<void> {
  const { workspaceId, conversationId, turnId } = lease;
  const unpaid = spent.filter(({ isPaid }) => !isPaid);
  await database.within(workspaceId).transaction(async (tx) => {
    if (unpaid.length > 0) {
      const used = unpaid.map(({ id, messageId, traceStepId, model, usage, cost }) => ({
        id,
        conversationId,
        turnId,
        messageId,
        traceStepId,
        model,
        inputTokens: usage.inputTokens,
        cachedInputTokens: usage.cachedInputTokens,
        outputTokens: usage.outputTokens,
        costUsd: cost === null ? null : formatUsd(cost),
      }));
      await billing.count(tx, workspaceId, used);
      if (lease.isMetered) await settle(tx, lease, billing, { usage: unpaid });
    }
    await turnStore.handOver(tx, lease);
  });
}
