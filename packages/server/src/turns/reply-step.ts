import { toWireMessage } from '../conversations/service.ts';
import type { NewEvent } from '../events/event.ts';
import { formatUsd } from '../money.ts';
import { newId } from '../new-id.ts';
import type { RunRow } from '../runs/service.ts';
import type { ProposedCall } from './calls/propose.ts';
import type { TurnDependencies } from './dependencies.ts';
import type { TurnLease } from './lease.ts';
import { beginAttempt, brokenReply } from './reply/attempt.ts';
import { obtainReply } from './reply/obtain-reply.ts';
import type { FinalReply } from './reply-quality.ts';
import { addUsage, type TurnState } from './state.ts';
import type { UsageEntry } from './step-write.ts';
import { wireUsage } from './wire.ts';
import { type StepToWrite, writeStep } from './write-step.ts';

export { BrokenReply } from './reply/broken-reply.ts';
export { usageEntry } from './reply/usage-entry.ts';

/** Asks the model and writes its reply: with calls to make, or as the end of the turn, or of the agent's work on a goal. */
export async function replyStep(
  lease: TurnLease,
  written: TurnState,
  dependencies: TurnDependencies,
  signal: AbortSignal,
): Promise<TurnState> {
  const state = await withFunctions(lease, written, dependencies, signal);
  const attempt = beginAttempt(lease, state, dependencies);
  try {
    const { message, calls, watched } = await obtainReply(lease, attempt, state, dependencies, signal);
    const next = afterReply(state, calls, attempt.spent);
    const first = await writeStep(lease, dependencies, {
      step: state.steps,
      status: next.ended ? 'completed' : 'running',
      replyIds: next.replyIds,
      ...(next.run && countingIteration(next.run, dependencies)),
      events: [
        { type: 'message.completed', data: { message: toWireMessage(message) } },
        ...(next.ended ? [completedEvent(lease.turnId, message.id, next)] : []),
      ],
      messages: [{ message, event: 0 }],
      usage: attempt.spent,
      trace: attempt.trace,
      calls: next.calls,
      ...(calls.length === 0 && keeping(lease, watched, dependencies)),
      beforePublish: () => attempt.reply.end(),
    });
    return { ...next, messages: [...state.messages, { ...message, sequence: first }] };
  } catch (error) {
    throw brokenReply(attempt, state, error, dependencies);
  } finally {
    attempt.reply.end();
  }
}

/** What the bot's tools offer, read once per lease; most bots have none and are not asked. */
async function withFunctions(
  lease: TurnLease,
  state: TurnState,
  { tools }: TurnDependencies,
  signal: AbortSignal,
): Promise<TurnState> {
  if (state.functions) return state;
  const hasTools = state.bot.toolCount > 0;
  return {
    ...state,
    functions: hasTools ? await tools.functionsOf(lease, signal) : [],
  };
}

function afterReply(state: TurnState, calls: readonly ProposedCall[], spent: UsageEntry[]): TurnState {
  // A run is over when it was checked that its goal is reached, not when the agent says so.
  const ended = calls.length === 0 && !state.run;
  return {
    ...state,
    run: state.run && { ...state.run, iterations: state.run.iterations + 1 },
    steps: state.steps + 1,
    calls: calls.map(({ open }) => open),
    replyIds: ended ? [] : [newId()],
    usage: spent.reduce((sum, { usage }) => addUsage(sum, usage), state.usage),
    cost: spent.reduce((sum, { cost }) => sum + cost, state.cost),
    ended,
  };
}

function countingIteration(run: RunRow, { runs }: TurnDependencies): Pick<StepToWrite, 'within'> {
  return { within: (tx) => runs.countIteration(tx, run) };
}

/** A bot whose replies nobody watches is spared the transaction. */
function keeping(
  lease: TurnLease,
  watched: FinalReply,
  { quality }: TurnDependencies,
): Pick<StepToWrite, 'afterwards'> {
  const isWatched = watched.grade !== undefined || watched.bot.settings.enable_response_validation === true;
  return isWatched ? { afterwards: (tx) => quality.keep(tx, lease, watched) } : {};
}

export function completedEvent(turnId: string, messageId: string, { usage, cost }: TurnState): NewEvent {
  return {
    type: 'turn.completed',
    data: { turn_id: turnId, message_id: messageId, usage: wireUsage(usage), cost_usd: formatUsd(cost) },
  };
}
