import { live } from '../../events/event.ts';
import type { BoundFunction, ToolRun } from '../../tools/tools.service.ts';
import { withOwnNumbers } from '../reply/passages/number-passages.ts';
import { embeddingEntries } from '../reply/usage-entry.ts';
import type { TurnLease } from '../run/lease.ts';
import { isTraced, type TurnState, withSpent } from '../state.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import { writeStep } from '../write/write-step.ts';
import { askPerson } from './ask-person.ts';
import { closeUnrunnableStep } from './close-tool-calls-step.ts';
import { foldEnds } from './fold-ends.ts';
import { matchFunctions } from './match-functions.ts';
import { runToolCall } from './run-tool-call.ts';
import { argumentsToRun, type OpenToolCall } from './tool-call.ts';
import { type ToolCallEnd, toolCallEndsWrite } from './tool-call-end.ts';
import { traceApprovals } from './trace-approvals.ts';

/**
 * Runs calls concurrently. They are written as started before any of them runs, and each as completed when it ends, so that
 * after a crash it is known which ones may have run.
 */
export async function runToolCallsStep(
  lease: TurnLease,
  calls: readonly OpenToolCall[],
  state: TurnState,
  dependencies: TurnDependencies,
  signal: AbortSignal,
): Promise<TurnState> {
  const functions = await functionsFor(calls, lease, state, dependencies, signal);
  const { bound, unasked, ...unrunnable } = await matchFunctions(lease, calls, functions, dependencies);
  // The remaining calls run with the next step.
  if (unrunnable.revoked.length + unrunnable.lost.length > 0)
    return closeUnrunnableStep(lease, unrunnable, { ...state, functions }, dependencies);
  if (unasked.length > 0) {
    const ask = (call: OpenToolCall) => (unasked.includes(call) ? { ...call, needsApproval: true } : call);
    return { ...state, functions, calls: state.calls.map(ask) };
  }
  let current = await writeStarted(lease, calls, { ...state, functions }, dependencies);
  // One write at a time: each carries the number of the step before it.
  let writing = Promise.resolve();

  async function writeEnd(ended: ToolCallEnd): Promise<void> {
    const end = withOwnNumbers(ended, current);
    const write = toolCallEndsWrite([end], dependencies.clock.now(), isTraced(state));
    const spent = embeddingEntries(end.used, dependencies);
    const { steps: step, replyIds } = current;
    const first = await writeStep(lease, dependencies, {
      step,
      status: 'running',
      replyIds,
      usage: spent,
      ...write,
    });
    current = withSpent(foldEnds(current, [end], write, first), spent);
  }

  async function runOne(call: OpenToolCall): Promise<void> {
    const own = bound.get(call.id);
    const observed = { id: call.id, name: call.name, toolType: call.toolType, signal };
    const run: ToolRun = {
      workspaceId: lease.workspaceId,
      actsFor: lease.options.acts_for,
      botId: lease.botId,
      conversationId: lease.conversationId,
      turnId: lease.turnId,
      callId: call.id,
      ...(call.approval?.basis && { basis: call.approval.basis }),
      ...(call.approval?.resolvedBy && { approval: { id: call.approval.id, by: call.approval.resolvedBy } }),
      seesImages: dependencies.models.ofBot(state.bot.settings).capabilities.images,
      signal,
      onProgress: (text) => showProgress(lease, call.id, text, dependencies),
      ...(own && { ask: (question, until) => askPerson(lease, call, own, question, dependencies, until) }),
    };
    const end = await dependencies.telemetry.toolCall(lease.turnId, observed, (traceParent) =>
      runToolCall(call, own, traceParent ? { ...run, traceParent } : run, dependencies.clock),
    );
    // An aborted call has no outcome: the end of the turn closes it.
    signal.throwIfAborted();
    writing = writing.then(() => writeEnd(end));
    await writing;
  }

  try {
    await Promise.all(calls.map(runOne));
  } finally {
    // Once this throws the turn may be handed over, and outcomes that are still being written would be lost.
    await Promise.allSettled([writing]);
  }
  const offersChange = calls.some(({ id }) => bound.get(id)?.changesOffers);
  return offersChange ? { ...current, functions: undefined } : current;
}

/** Calls that may have waited, for a person or for an earlier call, are compared with the tools as they are now. */
async function functionsFor(
  calls: readonly OpenToolCall[],
  lease: TurnLease,
  { functions }: TurnState,
  { tools }: TurnDependencies,
  signal: AbortSignal,
): Promise<BoundFunction[]> {
  if (!functions || calls.some(({ approval }) => approval))
    return tools.functionsOf(lease, signal, { fresh: true });
  return calls.some(({ inOrder }) => inOrder) ? tools.functionsOf(lease, signal) : functions;
}

async function writeStarted(
  lease: TurnLease,
  calls: readonly OpenToolCall[],
  state: TurnState,
  dependencies: TurnDependencies,
): Promise<TurnState> {
  const fresh = calls.filter((call) => call.status === 'proposed');
  if (fresh.length === 0) return state;
  await writeStep(lease, dependencies, {
    step: state.steps,
    status: 'running',
    replyIds: state.replyIds,
    usage: [],
    trace: isTraced(state) ? traceApprovals(fresh, dependencies.clock.now()) : [],
    messages: [],
    events: fresh.map((call) => ({
      type: 'tool.started',
      data: {
        tool_call_id: call.id,
        tool_name: call.name,
        tool_type: call.toolType,
        arguments: argumentsToRun(call),
      },
    })),
    outcomes: fresh.map((call) => ({
      id: call.id,
      status: 'started',
      executedArguments: argumentsToRun(call),
    })),
  });
  return { ...state, steps: state.steps + 1 };
}

function showProgress(lease: TurnLease, callId: string, text: string, { feed }: TurnDependencies): void {
  const progress = { type: 'tool.progress' as const, data: { tool_call_id: callId, text } };
  feed.publish(lease.conversationId, [live(lease.turnId, progress)]);
}
