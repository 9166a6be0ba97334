import { type BoundFunction, type Fingerprint, isSameFingerprint } from '../../tools/tools.service.ts';
import type { OpenToolCall } from './tool-call.ts';

/** The function that the model meant. A name may belong to another tool after the bot's tools change, so the tool must match too. */
export function proposedFunction(
  call: Pick<OpenToolCall, 'name' | 'toolId'>,
  functions: readonly BoundFunction[],
): BoundFunction | undefined {
  return functions.find((bound) => bound.name === call.name && isOfTool(call, bound));
}

/** The function that was approved, even if it has another name by now. */
export function approvedFunction(
  approved: Fingerprint,
  functions: readonly BoundFunction[],
): BoundFunction | undefined {
  return functions.find((bound) => isSameFingerprint(bound.fingerprint(), approved));
}

/** Whether the call's tool offers any function; one that cannot be reached offers none. */
export function offersAnything(call: Pick<OpenToolCall, 'toolId'>, functions: readonly BoundFunction[]) {
  return functions.some((bound) => isOfTool(call, bound));
}

function isOfTool({ toolId }: Pick<OpenToolCall, 'toolId'>, bound: BoundFunction): boolean {
  return (bound.toolId ?? null) === toolId;
}
