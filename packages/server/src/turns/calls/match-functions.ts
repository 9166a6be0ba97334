import type { BoundFunction } from '../../tools/service.ts';
import type { TurnDependencies } from '../dependencies.ts';
import type { TurnLease } from '../lease.ts';
import type { OpenCall } from './call.ts';
import { approvedFunction, offersAnything, proposedFunction } from './find-function.ts';

export interface MatchedCalls {
  /** What each call runs, by its id; missing for a tool that is not there now. */
  bound: ReadonlyMap<string, BoundFunction>;
  /** Approved for a tool that is another by now: they must not run. */
  changed: OpenCall[];
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
  const changed: OpenCall[] = [];
  for (const call of calls) {
    const found = findFunction(call, functions);
    if (found) bound.set(call.id, found);
    else if (call.approval && (await isChanged(call, call.approval.fingerprint))) changed.push(call);
  }
  return { bound, changed };

  /** A server that cannot be reached offers nothing, and has changed nothing either. */
  async function isChanged(
    call: OpenCall,
    fingerprint: Parameters<typeof approvals.isUnchanged>[1],
  ): Promise<boolean> {
    return offersAnything(call, functions) || !(await approvals.isUnchanged(lease, fingerprint));
  }
}

function findFunction(call: OpenCall, functions: readonly BoundFunction[]): BoundFunction | undefined {
  if (!call.approval) return proposedFunction(call, functions);
  const { fingerprint } = call.approval;
  return fingerprint && approvedFunction(fingerprint, functions);
}
