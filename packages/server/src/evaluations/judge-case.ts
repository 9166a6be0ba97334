import { AppError } from '../app-error.ts';
import type { Transaction } from '../database/database.ts';
import type { Model, Usage } from '../models/model.ts';
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

const nothingToJudge = { code: 'NOT_FOUND', message: 'The conversation to be judged is gone.' };

/** Asks the bot's own model which of the expected facts its answers state; nobody is asked when none is expected. */
export async function judgeCase(
  { botId, version }: EvaluationRow,
  { workspaceId, scenario, conversationId, turnIds }: CaseRow,
  dependencies: EvaluationDependencies,
  signal: AbortSignal,
): Promise<JudgedCase> {
  const { bots, models, conversations, workspaces, billing } = dependencies;
  if (scenario.expected_facts.length === 0) return { facts: [] };
  const turnId = turnIds.at(-1);
  if (!conversationId || !turnId) return { facts: [], problem: nothingToJudge };
  const { creditUsd } = await workspaces.get(workspaceId);
  const model = await judgingModel();
  const messages = (await conversations.listTranscripts(workspaceId, [conversationId])).get(conversationId);
  const said = (messages ?? []).flatMap(({ role, content }) =>
    (role === 'user' || role === 'assistant') && content ? [{ role, content }] : [],
  );
  const { usage, ...judged } = await judgeFacts(model, scenario.expected_facts, said, signal);
  const place = { conversationId, turnId };
  return { ...judged, charge: (tx) => chargeAll(tx, usage) };

  /** What keeps one case from being judged keeps all others from it. */
  async function judgingModel(): Promise<Model> {
    const bot = await bots.getRow(workspaceId, botId, version);
    try {
      if (creditUsd !== null) await billing.checkBalance(workspaceId, creditUsd);
      return models.resolve(bot.settings.model ?? models.defaultModelId());
    } catch (error) {
      throw error instanceof AppError ? new EvaluationFailed(error) : error;
    }
  }

  async function chargeAll(tx: Transaction, spent: readonly Usage[]): Promise<void> {
    const price = models.priceOf(model.id);
    for (const one of spent) {
      const charge = {
        id: newId(),
        ...place,
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
