import { isDeepStrictEqual } from 'node:util';
import type { StandIn } from '@svc/contract/scenarios';
import type { BoundFunction, ToolResult } from '../tools/tools.service.ts';
import { isObject } from '../validation/json-schema/check.ts';

/**
 * A function as an evaluation offers it: it looks the same to the model, but does not act. So its calls need no approval, and may run
 * again after a crash.
 */
export function standingIn(bound: BoundFunction, standIns: readonly StandIn[]): BoundFunction {
  const own = standIns.filter((one) => one.function === bound.name);
  const { name, description, parameters, toolType, toolId, isPure, hidesErrors, fingerprint } = bound;
  return {
    name,
    description,
    parameters,
    toolType,
    toolId,
    isPure,
    hidesErrors,
    fingerprint,
    approval: 'never',
    repeatable: true,
    hasEffects: false,
    async run(given, run) {
      const found = findStandIn(own, given);
      if (found) return resultOf(found);
      return isPure ? bound.run(given, run) : nothingStandsIn(name);
    },
  };
}

/** The first stand-in whose arguments are all found in the call. */
export function findStandIn(
  standIns: readonly StandIn[],
  given: Record<string, unknown>,
): StandIn | undefined {
  return standIns.find(({ arguments: wanted }) => wanted === undefined || contains(given, wanted));
}

function contains(value: unknown, part: unknown): boolean {
  if (!isObject(part) || !isObject(value)) return isDeepStrictEqual(value, part);
  return Object.entries(part).every(([name, wanted]) => contains(value[name], wanted));
}

function resultOf({ result, is_error: isError = false }: StandIn): ToolResult {
  const content = typeof result === 'string' ? result : JSON.stringify(result);
  return isError
    ? { status: 'error', content, result: { error: result } }
    : { status: 'ok', content, result };
}

function nothingStandsIn(name: string): ToolResult {
  const content = `This is a test, in which ${name} does not run, and the scenario has no result for this call.`;
  return { status: 'error', content, result: { error: content } };
}
