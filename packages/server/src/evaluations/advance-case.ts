import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../lib/app-error.ts';
import type { Model } from '../models/model.ts';
import type { TurnEnd } from '../turns/turns.service.ts';
import { admitNextTurn, Overtaken } from './admit-case.ts';
import { type CaseToolCall, decideCase } from './decide-case.ts';
import type { EvaluationDependencies } from './evaluation-dependencies.ts';
import { EvaluationFailed } from './evaluation-failed.ts';
import { type CaseRow, type EvaluationRow, evaluationStore } from './evaluations.store.ts';
import { type Judging, judgeFacts } from './judge/judge-facts.ts';

/** A scenario that takes longer is abandoned, because turns are limited in steps but not in time. */
const timeLimitMilliseconds = 15 * 60_000;
const backOffMilliseconds = 100;

/**
 * Advances a case by one step from what is stored: waits for its open turn, starts the next one, or decides it. Every write
 * checks that it still is the next one, so that two nodes doing this together do it once.
 */
export async function advanceCase(
  evaluation: EvaluationRow,
  row: CaseRow,
  dependencies: EvaluationDependencies,
  signal: AbortSignal,
): Promise<void> {
  const latest = row.turnIds.at(-1);
  const end = latest === undefined ? undefined : await endOfTurn(row, latest, dependencies, signal);
  const problem = end && problemOf(end);
  if (problem) return decide(row, { facts: [], problem }, dependencies);
  if (row.turnIds.length < row.scenario.turns.length) return beginTurn(evaluation, row, dependencies);
  await decide(row, await judgeCase(evaluation, row, dependencies, signal), dependencies);
}

async function beginTurn(
  { botId, version }: EvaluationRow,
  row: CaseRow,
  dependencies: EvaluationDependencies,
): Promise<void> {
  const { database, bots } = dependencies;
  const bot = await bots.getRow(row.workspaceId, botId, version);
  try {
    const begin = await database
      .within(row.workspaceId)
      .transaction((tx) => admitNextTurn(tx, bot, row, dependencies));
    begin();
  } catch (error) {
    if (error instanceof Overtaken) await sleep(backOffMilliseconds);
    else throw error instanceof AppError ? new EvaluationFailed(error) : error;
  }
}

async function decide(
  { id, workspaceId, scenario, turnIds }: CaseRow,
  { facts, problem }: Judging,
  { database, conversations }: EvaluationDependencies,
): Promise<void> {
  const calls: CaseToolCall[] = [];
  for (const turnId of turnIds) calls.push(...(await conversations.listCalls(workspaceId, turnId)));
  const outcome = decideCase(scenario, { calls, facts, ...(problem && { problem }) });
  await database.within(workspaceId).transaction(async (tx) => {
    await evaluationStore.endCase(tx, workspaceId, id, outcome);
  });
}

async function endOfTurn(
  { workspaceId, conversationId, startedAt }: CaseRow,
  turnId: string,
  { turns, clock }: EvaluationDependencies,
  signal: AbortSignal,
): Promise<TurnEnd> {
  const begun = (startedAt ?? clock.now()).getTime();
  const left = Math.max(0, begun + timeLimitMilliseconds - clock.now().getTime());
  const late = AbortSignal.timeout(left);
  try {
    return await turns.waitForEnd(workspaceId, turnId, AbortSignal.any([signal, late]));
  } catch (error) {
    if (!late.aborted || signal.aborted) throw error;
    if (conversationId) await turns.stop(workspaceId, conversationId, 'evaluation');
    const message = `The scenario was not over after ${timeLimitMilliseconds / 60_000} minutes.`;
    return { status: 'failed', error: { code: 'CASE_TIMED_OUT', message } };
  }
}

function problemOf({ status, error }: TurnEnd): { code: string; message: string } | undefined {
  switch (status) {
    case 'completed':
      return undefined;
    case 'failed':
      return error ?? { code: 'INTERNAL', message: 'A turn failed.' };
    case 'interrupted':
      return { code: 'TURN_INTERRUPTED', message: 'A turn was stopped before its end.' };
    case 'paused':
      return { code: 'TURN_PAUSED', message: 'A turn waits for a person, but an evaluation has none.' };
  }
}

const nothingToJudge = { code: 'NOT_FOUND', message: 'The conversation to judge no longer exists.' };

/** Asks the bot's own model which of the expected facts its answers state; without such facts the model is not called. */
async function judgeCase(
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
