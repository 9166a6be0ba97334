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

/** Tells the model of calls that will not run: denied ones, and those whose outcome a crash took. */
export async function closeCallsStep(
  lease: TurnLease,
  closing: Closing,
  state: TurnState,
  dependencies: TurnDependencies,
  within?: StepToWrite['within'],
): Promise<TurnState> {
  const now = dependencies.clock.now();
  const ends = closing.map(
    ({ call, outcome, told }): CallEnd => ({
      call,
      outcome,
      content: told,
      result: null,
      startedAt: now,
      durationMs: 0,
    }),
  );
  const write = callEndsWrite(ends, now, isTraced(state));
  // What was begun and then lost was told of when it began.
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

/** Takes back the approvals of calls that may not run any more, and tells the model and the readers why. */
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
