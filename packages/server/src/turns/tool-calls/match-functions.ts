import { type ExpiryReason, expiryReasons, type KeptFingerprint } from '../../approvals/approvals.service.ts';
import { asksFirst, type BoundFunction } from '../../tools/tools.service.ts';
import type { TurnLease } from '../run/lease.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import { approvedFunction, offersAnything, proposedFunction } from './find-function.ts';
import type { OpenToolCall } from './tool-call.ts';

export interface RevokedToolCall {
  call: OpenToolCall;
  reason: ExpiryReason;
}

export interface MatchedToolCalls {
  /** The function of each call, by the call's id; missing if its tool is not available. */
  bound: ReadonlyMap<string, BoundFunction>;
  /** Calls whose tool has changed since the approval, or may have, or since they were started: they must not run. */
  revoked: RevokedToolCall[];
  /** Calls that needed no approval when they were proposed, but do now. */
  unasked: OpenToolCall[];
  /** Calls that a crash interrupted and whose tool is not available: it is unknown whether they ran. */
  lost: OpenToolCall[];
}

/**
 * Finds the functions of calls. An approval is compared with the very function that would run, which keeps the configuration
 * that it was bound with: a later change does not affect it.
 */
export async function matchFunctions(
  lease: TurnLease,
  calls: readonly OpenToolCall[],
  functions: readonly BoundFunction[],
  { approvals }: Pick<TurnDependencies, 'approvals'>,
): Promise<MatchedToolCalls> {
  const bound = new Map<string, BoundFunction>();
  const revoked: RevokedToolCall[] = [];
  const unasked: OpenToolCall[] = [];
  const lost: OpenToolCall[] = [];
  for (const call of calls) {
    const found = findFunction(call, functions);
    if (found) {
      const isUnasked = !call.approval && call.fault === null && asksFirst(found, call.arguments);
      // Nobody can be asked about what may have happened already.
      const isOver = call.status === 'started' && (isUnasked || !found.repeatable);
      if (isOver) revoked.push({ call, reason: expiryReasons.changed });
      else if (isUnasked) unasked.push(call);
      else bound.set(call.id, found);
      continue;
    }
    const reason = call.approval && (await problemOf(call, call.approval.fingerprint));
    if (reason) revoked.push({ call, reason });
    else if (call.status === 'started' && call.fault === null) lost.push(call);
  }
  return { bound, revoked, unasked, lost };

  /** A server that cannot be reached has not changed. */
  async function problemOf(call: OpenToolCall, fingerprint: KeptFingerprint) {
    // It cannot be compared without its key: the tool counts as unavailable, not as changed.
    if (fingerprint === 'locked') return undefined;
    if (fingerprint !== 'none' && offersAnything(call, functions)) return expiryReasons.changed;
    return approvals.toolProblem({ ...lease, botVersion: lease.options.bot_version ?? null }, fingerprint);
  }
}

function findFunction(call: OpenToolCall, functions: readonly BoundFunction[]): BoundFunction | undefined {
  if (!call.approval) return proposedFunction(call, functions);
  const { fingerprint } = call.approval;
  return typeof fingerprint === 'string' ? undefined : approvedFunction(fingerprint, functions);
}
