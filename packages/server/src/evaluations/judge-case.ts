import { AppError } from '../lib/app-error.ts';
import type { Model } from '../models/model.ts';
import type { EvaluationDependencies } from './evaluation-dependencies.ts';
import { EvaluationFailed } from './evaluation-failed.ts';
import type { CaseRow, EvaluationRow } from './evaluations.store.ts';
import { type Judging, judgeFacts } from './judge/judge-facts.ts';

const nothingToJudge = { code: 'NOT_FOUND', message: 'The conversation to judge no longer exists.' };

/** Asks the bot's own model which of the expected facts its answers state; without such facts the model is not called. */
export async function judgeCase(
  { botId, version }: EvaluationRow,
  { workspaceId, scenario, conversationId, turnIds }: CaseRow,
  dependencies: EvaluationDependencies,
  signal: AbortSignal,
): Promise<Judging> {
  const { bots, models, conversations, spender } = dependencies;
  if (scenario.expected_facts.length === 0) return { facts: [] };
  const turnId = turnIds.at(-1);
  if (!conversationId || !turnId) return { facts: [], problem: nothingToJudge };
  const model = await judgingModel();
  const messages = (await conversations.listTranscripts(workspaceId, [conversationId])).get(conversationId);
  const said = (messages ?? []).flatMap(({ role, content }) =>
    (role === 'user' || role === 'assistant') && content ? [{ role, content }] : [],
  );
  const place = { conversationId, turnId };
  const paying = spender.payingModel(model, workspaceId, place);
  const judged = await judgeFacts(paying, scenario.expected_facts, said, signal);
  if (judged.failure && isOfAll(judged.failure)) throw new EvaluationFailed(judged.failure);
  return judged;

  /** A failure here would fail every other case too. */
  async function judgingModel(): Promise<Model> {
    const bot = await bots.getRow(workspaceId, botId, version);
    try {
      return models.ofBot(bot.settings);
    } catch (error) {
      throw error instanceof AppError ? new EvaluationFailed(error) : error;
    }
  }
}

/** Without money, or a price, no other case can be judged either. */
function isOfAll({ code }: AppError): boolean {
  return code === 'INSUFFICIENT_BALANCE' || code === 'VALIDATION_FAILED';
}
