import type { ToolRegistry } from './tool-registry.ts';
import type { CodeTarget } from './tool-type.ts';
import type { NewAssignment } from './tools.store.ts';

/** A tool that works on a paired machine. */
export interface MachineTool {
  name: string;
  /** What its configuration names. */
  target: CodeTarget;
  /** Nothing is read before a person has agreed. */
  asksToRead?: boolean;
}

/** Where a tool works in a turn. */
export interface CodePlace {
  machineId: string;
  workdir: string;
  /** The tool whose configuration names the machine; undefined if the turn names it. */
  machineNamedBy: string | undefined;
  /** The same for the directory. */
  workdirNamedBy: string | undefined;
}

/** A tool that works nowhere, because neither its configuration nor the turn names this. */
export interface MissingTarget {
  field: keyof CodeTarget;
  tool: string;
}

export function worksOnMachine(toolType: string, registry: Pick<ToolRegistry, 'find'>): boolean {
  return registry.find(toolType)?.codeTargetOf !== undefined;
}

export function usesMachine(
  assignments: readonly Pick<NewAssignment, 'toolType'>[],
  registry: Pick<ToolRegistry, 'find'>,
): boolean {
  return assignments.some(({ toolType }) => worksOnMachine(toolType, registry));
}

/** Pure: the different places of a bot's tools. A configuration wins; the turn fills in what it leaves blank. */
export function placesOf(tools: readonly MachineTool[], ofTurn: CodeTarget) {
  const places = new Map<string, CodePlace>();
  const missing: MissingTarget[] = [];
  for (const { name, target } of tools) {
    const machineId = target.machineId ?? ofTurn.machineId;
    const workdir = target.workdir ?? ofTurn.workdir;
    if (machineId === undefined) missing.push({ field: 'machineId', tool: name });
    if (workdir === undefined) missing.push({ field: 'workdir', tool: name });
    if (machineId === undefined || workdir === undefined) continue;
    places.set(JSON.stringify([machineId, workdir]), {
      machineId,
      workdir,
      machineNamedBy: target.machineId === undefined ? undefined : name,
      workdirNamedBy: target.workdir === undefined ? undefined : name,
    });
  }
  return { places: [...places.values()], missing };
}
