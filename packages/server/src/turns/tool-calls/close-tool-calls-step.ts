import type { NewEvent } from '../../events/event.ts';
import type { TurnLease } from '../run/lease.ts';
import { withdrawToolCalls } from '../run/withdraw-tool-calls.ts';
import { isTraced, type TurnState } from '../state.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import { type StepToWrite, writeStep } from '../write/write-step.ts';
import { foldEnds } from './fold-ends.ts';
import type { MatchedToolCalls, RevokedToolCall } from './match-functions.ts';
import { lostClosing, type OpenToolCall, revokedClosing, type ToolCallClosing } from './tool-call.ts';
import { type ToolCallEnd, toolCallEndsWrite } from './tool-call-end.ts';
import { traceApprovals } from './trace-approvals.ts';

/** Answers calls that will not run: denied ones, and those whose outcome was lost in a crash. */
export function closeToolCallsStep(
  lease: TurnLease,
  closing: readonly ToolCallClosing[],
  state: TurnState,
  dependencies: TurnDependencies,
  within?: StepToWrite['within'],
): Promise<TurnState> {
  const now = dependencies.clock.now();
  const ends = closing.map((one): ToolCallEnd => ({ ...one, result: null, startedAt: now, durationMs: 0 }));
  return endToolCallsStep(lease, ends, state, dependencies, within);
}

/** Writes how calls ended that did not run in this step. */
export async function endToolCallsStep(
  lease: TurnLease,
  ends: readonly ToolCallEnd[],
  state: TurnState,
  dependencies: TurnDependencies,
  within?: StepToWrite['within'],
): Promise<TurnState> {
  const now = dependencies.clock.now();
  const write = toolCallEndsWrite(ends, now, isTraced(state));
  // The approvals of started calls were traced when those started.
  const unstarted = ends.flatMap(({ call }) => (call.status === 'proposed' ? [call] : []));
  const asked = isTraced(state) ? traceApprovals(unstarted, now) : [];
  const first = await writeStep(lease, dependencies, {
    step: state.steps,
    status: 'running',
    replyIds: state.replyIds,
    usage: [],
    ...(within && { within }),
    ...write,
    trace: [...asked, ...write.trace],
  });
  return foldEnds(state, ends, write, first);
}

/**
 * Closes calls that may no longer run, with the reason for the model and for readers. Those that were started keep their
 * approvals, which were used, and are cancelled where they may still be running.
 */
export async function closeUnrunnableStep(
  lease: TurnLease,
  { revoked, lost }: Pick<MatchedToolCalls, 'revoked' | 'lost'>,
  state: TurnState,
  dependencies: TurnDependencies,
): Promise<TurnState> {
  const { approvals, clock } = dependencies;
  const started = [...revoked.map(({ call }) => call), ...lost].filter(wasStarted);
  const unstarted = revoked.filter(({ call }) => !wasStarted(call));
  const closing = [
    ...revoked.map((one) => revokedClosing(withExpiry(one, clock.now()), one.reason)),
    ...lost.map(lostClosing),
  ];
  const byReason = Map.groupBy(unstarted, ({ reason }) => reason);
  const next = await closeToolCallsStep(lease, closing, state, dependencies, async (tx) => {
    const events: NewEvent[] = [];
    for (const [reason, those] of byReason) {
      const ids = those.flatMap(({ call }) => call.approval?.id ?? []);
      events.push(...(await approvals.revoke(tx, lease.workspaceId, ids, reason)));
    }
    return events;
  });
  await withdrawToolCalls(lease, started, dependencies);
  return next;
}

function wasStarted({ status }: OpenToolCall): boolean {
  return status === 'started';
}

/** The call with its approval as it is from now on. */
function withExpiry({ call, reason }: RevokedToolCall, now: Date): OpenToolCall {
  if (!call.approval || wasStarted(call)) return call;
  const expired = { status: 'expired' as const, editedArguments: null, resolvedAt: now, resolvedBy: null };
  return { ...call, approval: { ...call.approval, ...expired, reason } };
}
