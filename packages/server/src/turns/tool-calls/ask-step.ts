import { type ApprovalRequest, resolutionByGrant } from '../../approvals/approvals.service.ts';
import { AppError } from '../../lib/app-error.ts';
import { newId } from '../../lib/new-id.ts';
import type { BoundFunction, CallContext, CallDescription } from '../../tools/tools.service.ts';
import { storableJson } from '../../validation/storable.ts';
import type { TurnLease } from '../run/lease.ts';
import type { TurnState } from '../state.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import { writeStep } from '../write/write-step.ts';
import { endToolCallsStep } from './close-tool-calls-step.ts';
import { proposedFunction } from './find-function.ts';
import { faultEnd } from './run-tool-call.ts';
import type { OpenToolCall } from './tool-call.ts';

const answeredWithinMilliseconds = 24 * 60 * 60 * 1000;

/** Requests approvals and pauses the turn until they are answered. Calls that cannot succeed are answered instead. */
export async function askStep(
  lease: TurnLease,
  calls: readonly OpenToolCall[],
  state: TurnState,
  dependencies: TurnDependencies,
  signal: AbortSignal,
): Promise<TurnState> {
  const { tools, clock } = dependencies;
  const functions = state.functions ?? (await tools.functionsOf(lease, AbortSignal.timeout(60_000)));
  const context = {
    actsFor: lease.options.acts_for,
    botId: lease.botId,
    conversationId: lease.conversationId,
    signal,
  };
  const described = await Promise.all(calls.map((call) => describe(call, functions, context)));
  const ends = described.flatMap(({ call, bound, description }) =>
    'fault' in description ? [faultEnd(call, bound, description.fault, clock.now())] : [],
  );
  const next = ends.length > 0 ? await endToolCallsStep(lease, ends, state, dependencies) : state;
  const expiresAt = expiryOf(clock.now(), state);
  const asked = withoutDependent(described);
  const grants = await coveringGrants(lease, asked, dependencies);
  const requests = asked.flatMap((one, index) => {
    const actsFor = lease.options.acts_for ?? null;
    return requestFor(one, { expiresAt, actsFor, grant: grants[index] }) ?? [];
  });
  return requests.length > 0 ? request(lease, requests, next, dependencies) : next;
}

/** What people allowed before, so that they are not asked again. */
async function coveringGrants(
  lease: TurnLease,
  asked: readonly DescribedCall[],
  { approvalGrants, toolGrants }: TurnDependencies,
) {
  const { workspaceId, conversationId, botId, options } = lease;
  const turn = { workspaceId, conversationId, botId, actsFor: options.acts_for };
  const [onMachines, ofTools] = await Promise.all([
    approvalGrants.findCovering(
      turn,
      asked.map(({ description }) => ('fault' in description ? undefined : description.grantable)),
    ),
    toolGrants.findCovering(
      workspaceId,
      botId,
      asked.map(({ bound }) => bound?.toolGrantable),
    ),
  ]);
  return asked.map((_call, index) => onMachines[index] ?? ofTools[index]);
}

/** Pauses the turn, unless all of it was allowed before. */
async function request(
  lease: TurnLease,
  requests: ApprovalRequest[],
  state: TurnState,
  dependencies: TurnDependencies,
): Promise<TurnState> {
  const { approvals, runs, clock } = dependencies;
  const pending = requests.filter(({ grant }) => !grant);
  const isPaused = pending.length > 0;
  await writeStep(lease, dependencies, {
    step: state.steps,
    status: isPaused ? 'paused' : 'running',
    replyIds: state.replyIds,
    async within(tx) {
      if (state.run && isPaused) await runs.setStatus(tx, lease.workspaceId, lease.turnId, 'paused');
      return approvals.request(tx, lease, requests);
    },
    events: isPaused
      ? [{ type: 'turn.paused', data: { turn_id: lease.turnId, approval_ids: pending.map(({ id }) => id) } }]
      : [],
    messages: [],
    usage: [],
    trace: [],
  });
  const steps = state.steps + 1;
  if (isPaused) return { ...state, steps, paused: true };
  const now = clock.now();
  return { ...state, steps, calls: state.calls.map((call) => withGrant(call, requests, now)) };
}

/** The call as it is read again after a crash. */
function withGrant(call: OpenToolCall, requests: readonly ApprovalRequest[], now: Date): OpenToolCall {
  const asked = requests.find(({ toolCallId }) => toolCallId === call.id);
  if (!asked?.grant) return call;
  const { id, basis, fingerprint = 'none' } = asked;
  const resolution = resolutionByGrant(asked.grant, now);
  return { ...call, approval: { id, basis, fingerprint, createdAt: now, ...resolution } };
}

/** After a day, or at the deadline of the run. */
function expiryOf(now: Date, { run }: TurnState): Date {
  const inADay = new Date(now.getTime() + answeredWithinMilliseconds);
  return run && run.deadlineAt < inADay ? run.deadlineAt : inADay;
}

interface DescribedCall {
  call: OpenToolCall;
  bound: BoundFunction | undefined;
  description: CallDescription;
}

async function describe(call: OpenToolCall, functions: readonly BoundFunction[], context: CallContext) {
  const bound = proposedFunction(call, functions);
  const summary = `${call.name}(${JSON.stringify(call.arguments)})`;
  try {
    const own = await bound?.describeCall?.(call.arguments, context);
    return { call, bound, description: own ?? { context: { kind: 'call', summary } } };
  } catch (error) {
    if (context.signal.aborted || !(error instanceof AppError)) throw error;
    return { call, bound, description: { fault: error.message } };
  }
}

/** Without calls that would change the same as an earlier one. They stay unasked until that one has ended. */
function withoutDependent(described: readonly DescribedCall[]): DescribedCall[] {
  const changed = new Set<string>();
  return described.filter(({ description }) => {
    const { changes = [] } = 'fault' in description ? {} : description;
    const isIndependent = changes.every((one) => !changed.has(one));
    for (const one of changes) changed.add(one);
    return isIndependent;
  });
}

/** Undefined for a call that cannot succeed: there is nothing to decide about it. */
function requestFor(
  { call, bound, description }: DescribedCall,
  { expiresAt, actsFor, grant }: Pick<ApprovalRequest, 'expiresAt' | 'grant'> & { actsFor: string | null },
): ApprovalRequest | undefined {
  if ('fault' in description) return undefined;
  return {
    id: newId(),
    toolCallId: call.id,
    toolType: call.toolType,
    toolName: call.name,
    titleTemplate: bound?.approvalTitle ?? null,
    arguments: call.arguments,
    argumentsSchema: { ...(description.argumentsSchema ?? bound?.parameters) },
    fingerprint: bound?.fingerprint(),
    context: storableJson(description.context),
    basis: description.basis ? storableJson(description.basis) : null,
    linkEdit: bound?.mayEditByLink ?? false,
    isQuestion: false,
    expiresAt,
    grantable: description.grantable ? storableJson({ ...description.grantable, actsFor }) : null,
    toolGrantable: bound?.toolGrantable ?? null,
    grant,
  };
}
