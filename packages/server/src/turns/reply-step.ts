import { v7 as uuidv7 } from 'uuid';
import { toWireMessage } from '../conversations/service.ts';
import type { NewEvent } from '../events/event.ts';
import { formatUsd } from '../money.ts';
import type { ProposedCall } from './calls/propose.ts';
import type { TurnDependencies } from './dependencies.ts';
import type { TurnLease } from './lease.ts';
import { findPassages } from './passages/find-passages.ts';
import { beginAttempt, brokenReply } from './reply/attempt.ts';
import { obtainReply } from './reply/obtain-reply.ts';
import type { FinalReply } from './reply-quality.ts';
import { addUsage, type TurnState } from './state.ts';
import type { UsageEntry } from './step-write.ts';
import { wireUsage } from './wire.ts';
import { type StepToWrite, writeStep } from './write-step.ts';

export { BrokenReply } from './reply/broken-reply.ts';
export { usageEntry } from './reply/usage-entry.ts';

/** Asks the model and writes its reply: with calls to make, or as the end of the turn. */
export async function replyStep(
  lease: TurnLease,
  written: TurnState,
  dependencies: TurnDependencies,
  signal: AbortSignal,
): Promise<TurnState> {
  const able = await withFunctions(lease, written, dependencies, signal);
  const { state, ...searched } = await findPassages(lease, able, dependencies, signal);
  const attempt = beginAttempt(lease, state, searched, dependencies);
  try {
    const { message, calls, watched } = await obtainReply(lease, attempt, state, dependencies, signal);
    const spent = [...searched.spent, ...attempt.spent];
    const next = afterReply(state, calls, spent);
    const first = await writeStep(lease, dependencies, {
      step: state.steps,
      status: next.ended ? 'completed' : 'running',
      replyIds: next.replyIds,
      events: [
        { type: 'message.completed', data: { message: toWireMessage(message) } },
        ...(next.ended ? [completedEvent(lease.turnId, message.id, next)] : []),
      ],
      messages: [{ message, event: 0 }],
      usage: spent,
      trace: [...searched.trace, ...attempt.trace],
      calls: next.calls,
      ...(next.ended && keeping(lease, watched, dependencies)),
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
    functions: hasTools ? await tools.functionsOf(lease.workspaceId, lease.botId, signal) : [],
  };
}

function afterReply(state: TurnState, calls: readonly ProposedCall[], spent: UsageEntry[]): TurnState {
  return {
    ...state,
    steps: state.steps + 1,
    calls: calls.map(({ open }) => open),
    replyIds: calls.length > 0 ? [uuidv7()] : [],
    usage: spent.reduce((sum, { usage }) => addUsage(sum, usage), state.usage),
    cost: spent.reduce((sum, { cost }) => sum + cost, state.cost),
    ended: calls.length === 0,
  };
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

function completedEvent(turnId: string, messageId: string, { usage, cost }: TurnState): NewEvent {
  return {
    type: 'turn.completed',
    data: { turn_id: turnId, message_id: messageId, usage: wireUsage(usage), cost_usd: formatUsd(cost) },
  };
}
