import { type BoundFunction, type Fingerprint, isSameFingerprint } from '../../tools/service.ts';
import type { OpenCall } from './call.ts';

/** The function that the model meant. Names are given out anew when a bot's tools change: it must not meet another tool. */
export function proposedFunction(
  call: Pick<OpenCall, 'name' | 'toolId'>,
  functions: readonly BoundFunction[],
): BoundFunction | undefined {
  return functions.find((bound) => bound.name === call.name && isOfTool(call, bound));
}

/** The function that does what was approved, whatever it is called by now. */
export function approvedFunction(
  approved: Fingerprint,
  functions: readonly BoundFunction[],
): BoundFunction | undefined {
  return functions.find((bound) => isSameFingerprint(bound.fingerprint(), approved));
}

/** Whether the tool of a call offers anything at all; one that cannot be reached does not. */
export function offersAnything(call: Pick<OpenCall, 'toolId'>, functions: readonly BoundFunction[]): boolean {
  return functions.some((bound) => isOfTool(call, bound));
}

function isOfTool({ toolId }: Pick<OpenCall, 'toolId'>, bound: BoundFunction): boolean {
  return (bound.toolId ?? null) === toolId;
}
