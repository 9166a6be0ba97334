import type { ApprovalRequest } from '../../approvals/service.ts';
import { newId } from '../../new-id.ts';
import type { BoundFunction } from '../../tools/service.ts';
import type { TurnDependencies } from '../dependencies.ts';
import type { TurnLease } from '../run/lease.ts';
import type { TurnState } from '../state.ts';
import { writeStep } from '../write/write-step.ts';
import type { OpenCall } from './call.ts';
import { proposedFunction } from './find-function.ts';

const answeredWithinMilliseconds = 24 * 60 * 60 * 1000;

/** Requests approvals and pauses the turn until all are answered. */
export async function askStep(
  lease: TurnLease,
  calls: readonly OpenCall[],
  state: TurnState,
  dependencies: TurnDependencies,
  signal: AbortSignal,
): Promise<TurnState> {
  const { approvals, runs, tools, clock } = dependencies;
  const functions = state.functions ?? (await tools.functionsOf(lease, AbortSignal.timeout(60_000)));
  const expiresAt = expiryOf(clock.now(), state);
  const requests = await Promise.all(calls.map((call) => requestFor(call, functions, expiresAt, signal)));
  await writeStep(lease, dependencies, {
    step: state.steps,
    status: 'paused',
    replyIds: state.replyIds,
    async within(tx) {
      if (state.run) await runs.setStatus(tx, lease.workspaceId, lease.turnId, 'paused');
      return approvals.request(tx, lease, requests);
    },
    events: [
      { type: 'turn.paused', data: { turn_id: lease.turnId, approval_ids: requests.map(({ id }) => id) } },
    ],
    messages: [],
    usage: [],
    trace: [],
  });
  return { ...state, steps: state.steps + 1, paused: true };
}

/** After a day, or at the deadline of the run. */
function expiryOf(now: Date, { run }: TurnState): Date {
  const inADay = new Date(now.getTime() + answeredWithinMilliseconds);
  return run && run.deadlineAt < inADay ? run.deadlineAt : inADay;
}

async function requestFor(
  call: OpenCall,
  functions: readonly BoundFunction[],
  expiresAt: Date,
  signal: AbortSignal,
): Promise<ApprovalRequest> {
  const bound = proposedFunction(call, functions);
  const plain = { kind: 'call' as const, summary: `${call.name}(${JSON.stringify(call.arguments)})` };
  const described = await bound?.describeCall?.(call.arguments, signal);
  return {
    id: newId(),
    toolCallId: call.id,
    toolType: call.toolType,
    toolName: call.name,
    arguments: call.arguments,
    argumentsSchema: { ...bound?.parameters },
    fingerprint: bound?.fingerprint(),
    context: described && 'context' in described ? described.context : plain,
    expiresAt,
  };
}
