import type { Log } from '../lib/log.ts';
import { type Fingerprint, fingerprintOf, offerFingerprint } from './fingerprint.ts';
import type { ToolRegistry } from './tool-registry.ts';
import type { ConfiguredTool, ListOptions, ToolFunction, ToolGrantable } from './tool-type.ts';
import type { NewAssignment } from './tools.store.ts';
import { mayBeGranted, mayEditByLink, takesKeypadInput } from './types/shared/form-groups.ts';

/** An assigned tool, ready to run. */
export interface AssignedTool {
  assignment: NewAssignment;
  tool: ConfiguredTool;
}

/** A function of one of a bot's tools, under the name that the model sees. */
export interface BoundFunction extends ToolFunction {
  toolType: string;
  toolId: string | undefined;
  /** A call that a crash interrupted may run again, with the same id. */
  repeatable: boolean;
  /** May change something outside. */
  hasEffects: boolean;
  /** Has no effect outside, so it may run where no tool may act. */
  isPure: boolean;
  /** All later calls can be allowed together with one. */
  toolGrantable?: ToolGrantable;
  /** People with the link of an approval notice can change the arguments. */
  mayEditByLink?: true;
  /** Its arguments may contain what callers enter on the keypad. */
  takesKeypadInput?: true;
  /** The model learns only that it failed, not how. */
  hidesErrors: boolean;
  /** Of the configuration that it was made from. */
  fingerprint(): Fingerprint;
}

const maxNameLength = 64;
/** Per line of the log. */
const maxReasons = 20;

/** All functions of these tools. A tool that cannot list its functions is left out, so that the bot can continue without it. */
export async function bindFunctions(
  assigned: readonly AssignedTool[],
  registry: ToolRegistry,
  log: Log,
  signal: AbortSignal,
  options?: ListOptions,
): Promise<BoundFunction[]> {
  const offered = await Promise.all(assigned.map((one) => functionsOf(one, registry, log, signal, options)));
  const names = new Set<string>();
  return offered.flat().map((bound) => ({ ...bound, name: uniqueName(bound.name, names) }));
}

async function functionsOf(
  { assignment, tool }: AssignedTool,
  registry: ToolRegistry,
  log: Log,
  signal: AbortSignal,
  options?: ListOptions,
): Promise<BoundFunction[]> {
  const type = registry.get(assignment.toolType);
  try {
    const functions = await type.functions(tool, signal, options);
    const usable = functions.filter((offered) => !offered.unusable);
    const leftOut = functions.filter((offered) => offered.unusable);
    if (leftOut.length > 0) {
      const reasons = leftOut.slice(0, maxReasons).map(({ name, unusable }) => `${name}: ${unusable}`);
      log.warn(
        { tool_id: tool.id, tool_type: type.type, count: leftOut.length, reasons },
        'Functions of a tool could not be offered to its bot.',
      );
    }
    return usable.map((offered) => ({
      ...offered,
      description: [offered.description, assignment.toolInstructions].filter(Boolean).join('\n\n'),
      run: (given, run) => offered.run(given, run),
      ...(offered.describeCall && {
        describeCall: (given, context) => offered.describeCall?.(given, context),
      }),
      ...(offered.approvalOf && { approvalOf: (given) => offered.approvalOf?.(given) }),
      toolType: type.type,
      toolId: tool.id,
      repeatable: (type.readOnly && offered.approval === 'never') || offered.isResumable === true,
      hasEffects: !type.readOnly && !offered.readOnly,
      isPure: type.isPure === true,
      ...(mayBeGranted(tool.configuration) &&
        tool.id !== undefined &&
        tool.revision !== undefined && {
          toolGrantable: { toolId: tool.id, revision: tool.revision, offer: offerFingerprint(offered) },
        }),
      ...(mayEditByLink(tool.configuration) && { mayEditByLink: true as const }),
      ...(takesKeypadInput(tool.configuration) && { takesKeypadInput: true as const }),
      hidesErrors: assignment.toolErrorHandlingMode === 'hide',
      fingerprint: () => fingerprintOf(type.type, tool, offered),
    })) as BoundFunction[];
  } catch (error) {
    if (signal.aborted) throw error;
    log.warn(
      { err: error, tool_id: tool.id, tool_type: type.type },
      'A tool could not be offered to its bot.',
    );
    return [];
  }
}

function uniqueName(wanted: string, taken: Set<string>): string {
  const safe = wanted.replaceAll(/[^A-Za-z0-9_-]+/g, '_').slice(0, maxNameLength) || 'tool';
  let name = safe;
  for (let number = 2; taken.has(name); number += 1) name = `${safe.slice(0, maxNameLength - 4)}_${number}`;
  taken.add(name);
  return name;
}
