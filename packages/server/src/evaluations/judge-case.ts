import { AppError } from '../app-error.ts';
import type { Transaction } from '../database/database.ts';
import type { Usage } from '../models/model.ts';
import { costOf } from '../models/prices.ts';
import { formatUsd } from '../money.ts';
import { newId } from '../new-id.ts';
import type { EvaluationDependencies } from './dependencies.ts';
import { EvaluationFailed } from './evaluation-failed.ts';
import { type Judging, judgeFacts } from './judge/judge-facts.ts';
import type { CaseRow, EvaluationRow } from './store.ts';

export interface JudgedCase extends Omit<Judging, 'usage'> {
  /** Takes what the judging cost, with the outcome. */
  charge?: (tx: Transaction) => Promise<void>;
}

/** Asks the bot's own model which of the expected facts its answers state; nobody is asked when none is expected. */
export async function judgeCase(
  { botId, version }: EvaluationRow,
  { workspaceId, scenario, conversationId, turnIds }: CaseRow,
  dependencies: EvaluationDependencies,
  signal: AbortSignal,
): Promise<JudgedCase> {
  const { bots, models, conversations, workspaces, billing } = dependencies;
  const turnId = turnIds.at(-1);
  if (scenario.expected_facts.length === 0 || !conversationId || !turnId) return { facts: [] };
  const { creditUsd } = await workspaces.get(workspaceId);
  await affordable(workspaceId, creditUsd);
  const bot = await bots.getRow(workspaceId, botId, version);
  const model = models.resolve(bot.settings.model ?? models.defaultModelId());
  const messages = (await conversations.listTranscripts(workspaceId, [conversationId])).get(conversationId);
  const said = (messages ?? []).flatMap(({ role, content }) =>
    (role === 'user' || role === 'assistant') && content ? [{ role, content }] : [],
  );
  const { usage, ...judged } = await judgeFacts(model, scenario.expected_facts, said, signal);
  return { ...judged, charge: (tx) => chargeAll(tx, usage) };

  async function affordable(workspace: string, credit: string | null): Promise<void> {
    try {
      if (credit !== null) await billing.checkBalance(workspace, credit);
    } catch (error) {
      throw error instanceof AppError ? new EvaluationFailed(error) : error;
    }
  }

  async function chargeAll(tx: Transaction, spent: readonly Usage[]): Promise<void> {
    const price = models.priceOf(model.id);
    for (const one of spent) {
      const charge = {
        id: newId(),
        conversationId: conversationId as string,
        turnId: turnId as string,
        model: model.id,
        inputTokens: one.inputTokens,
        cachedInputTokens: one.cachedInputTokens,
        outputTokens: one.outputTokens,
        costUsd: formatUsd(price ? costOf(one, price) : 0n),
      };
      await billing.charge(tx, workspaceId, charge, creditUsd !== null);
    }
  }
}
