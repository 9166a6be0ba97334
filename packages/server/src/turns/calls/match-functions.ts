import { type ExpiryReason, expiryReasons, type KeptFingerprint } from '../../approvals/service.ts';
import type { BoundFunction } from '../../tools/service.ts';
import type { TurnDependencies } from '../dependencies.ts';
import type { TurnLease } from '../run/lease.ts';
import type { OpenCall } from './call.ts';
import { approvedFunction, offersAnything, proposedFunction } from './find-function.ts';

export interface RevokedCall {
  call: OpenCall;
  reason: ExpiryReason;
}

export interface MatchedCalls {
  /** What each call runs, by its id; missing for a tool that is not there now. */
  bound: ReadonlyMap<string, BoundFunction>;
  /** Approved for a tool that is another by now, or may be: they must not run. */
  revoked: RevokedCall[];
}

/**
 * Finds what calls run. What a person approved is compared with the very functions that would run, which keep what they were
 * bound from: a change that comes later does not reach them.
 */
export async function matchFunctions(
  lease: TurnLease,
  calls: readonly OpenCall[],
  functions: readonly BoundFunction[],
  { approvals }: Pick<TurnDependencies, 'approvals'>,
): Promise<MatchedCalls> {
  const bound = new Map<string, BoundFunction>();
  const revoked: RevokedCall[] = [];
  for (const call of calls) {
    const found = findFunction(call, functions);
    if (found) bound.set(call.id, found);
    const reason = found || !call.approval ? undefined : await problemOf(call, call.approval.fingerprint);
    if (reason) revoked.push({ call, reason });
  }
  return { bound, revoked };

  /** A server that cannot be reached offers nothing, and has changed nothing either. */
  async function problemOf(call: OpenCall, fingerprint: KeptFingerprint): Promise<ExpiryReason | undefined> {
    // Without its key it cannot be compared here: the tool is not available, which is no reason to say that it changed.
    if (fingerprint === 'locked') return undefined;
    if (fingerprint !== 'none' && offersAnything(call, functions)) return expiryReasons.changed;
    return approvals.toolProblem(lease, fingerprint);
  }
}

function findFunction(call: OpenCall, functions: readonly BoundFunction[]): BoundFunction | undefined {
  if (!call.approval) return proposedFunction(call, functions);
  const { fingerprint } = call.approval;
  return typeof fingerprint === 'string' ? undefined : approvedFunction(fingerprint, functions);
}
