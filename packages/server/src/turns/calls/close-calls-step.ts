import type { NewEvent } from '../../events/event.ts';
import type { TurnDependencies } from '../dependencies.ts';
import type { TurnLease } from '../run/lease.ts';
import { isTraced, type TurnState } from '../state.ts';
import { type StepToWrite, writeStep } from '../write/write-step.ts';
import { type CallDecision, closingOf } from './call.ts';
import { type CallEnd, callEndsWrite } from './call-end.ts';
import { foldEnds } from './fold-ends.ts';
import type { RevokedCall } from './match-functions.ts';
import { traceApprovals } from './trace-approvals.ts';

type Closing = Extract<CallDecision, { kind: 'close' }>['calls'];

/** Answers calls that will not run: denied ones, and those whose outcome was lost in a crash. */
export async function closeCallsStep(
  lease: TurnLease,
  closing: Closing,
  state: TurnState,
  dependencies: TurnDependencies,
  within?: StepToWrite['within'],
): Promise<TurnState> {
  const now = dependencies.clock.now();
  const ends = closing.map(
    ({ call, outcome, content }): CallEnd => ({
      call,
      outcome,
      content,
      result: null,
      startedAt: now,
      durationMs: 0,
    }),
  );
  const write = callEndsWrite(ends, now, isTraced(state));
  // The approvals of started calls were traced when those started.
  const unstarted = closing.flatMap(({ call }) => (call.status === 'proposed' ? [call] : []));
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

/** Revokes the approvals of calls that may no longer run, with the reason for the model and for readers. */
export function expireCallsStep(
  lease: TurnLease,
  revoked: readonly RevokedCall[],
  state: TurnState,
  dependencies: TurnDependencies,
): Promise<TurnState> {
  const { approvals, clock } = dependencies;
  const expired = { status: 'expired' as const, editedArguments: null };
  const closing = revoked.flatMap(({ call, reason }) => {
    if (!call.approval) return [];
    const approval = { ...call.approval, ...expired, reason, resolvedAt: clock.now(), resolvedBy: null };
    return closingOf({ ...call, approval }) ?? [];
  });
  const byReason = Map.groupBy(revoked, ({ reason }) => reason);
  return closeCallsStep(lease, closing, state, dependencies, async (tx) => {
    const events: NewEvent[] = [];
    for (const [reason, those] of byReason) {
      const ids = those.flatMap(({ call }) => call.approval?.id ?? []);
      events.push(...(await approvals.revoke(tx, lease.workspaceId, ids, reason)));
    }
    return events;
  });
}
