import { AppError, invalid } from '../app-error.ts';
import { type CodePlace, type MachineTool, type MissingTarget, placesOf } from './code-places.ts';
import type { CodeTarget } from './tool-type.ts';

/** Implemented by the machines. */
export interface MachineCheck {
  /** The name that people gave it; throws NOT_FOUND if it is unknown or revoked. */
  nameOf(workspaceId: string, machineId: string): Promise<string>;
  /**
   * The real path of a directory, or why nobody can work there. Throws NOT_FOUND if the machine is unknown or revoked, and
   * MACHINE_OFFLINE.
   */
  checkWorkdir(
    workspaceId: string,
    machineId: string,
    workdir: string,
    botId: string,
  ): Promise<{ workdir: string } | { refused: string }>;
}

export interface MachinesWanted {
  workspaceId: string;
  /** Shown on the machines. */
  botId: string;
  /** The bot's tools that work on machines. */
  tools: readonly MachineTool[];
  /** What the turn was sent with. */
  ofTurn: CodeTarget;
  /** Nobody can send a run with a target. */
  isRun: boolean;
}

/** Throws why the tools of a turn cannot work on their machines, and names the field to change. */
export async function requireMachines(wanted: MachinesWanted, machines: MachineCheck): Promise<void> {
  const { workspaceId, tools, ofTurn, isRun } = wanted;
  const { places, missing } = placesOf(tools, ofTurn);
  // A machine that the turn names must exist even if no tool works on it.
  const { machineId } = ofTurn;
  if (machineId !== undefined && !places.some((place) => place.machineId === machineId)) {
    await machines.nameOf(workspaceId, machineId).catch((error: unknown) => {
      throw isUnknown(error) ? unknownMachine(undefined) : error;
    });
  }
  if (missing.length > 0) throw missingTargets(missing, isRun);
  for (const place of places) await requirePlace(wanted, place, machines);
}

async function requirePlace(
  { workspaceId, botId }: MachinesWanted,
  place: CodePlace,
  machines: MachineCheck,
): Promise<void> {
  const { machineId, workdir, machineNamedBy, workdirNamedBy } = place;
  const checking = machines.checkWorkdir(workspaceId, machineId, workdir, botId);
  const checked = await checking.catch((error: unknown) => {
    throw isUnknown(error) ? unknownMachine(machineNamedBy) : error;
  });
  if (!('refused' in checked)) return;
  if (workdirNamedBy === undefined) throw invalid('code_workdir', `cannot be used: ${checked.refused}`);
  throw new AppError('WORKDIR_UNAVAILABLE', {
    message: `The directory of the tool "${workdirNamedBy}" cannot be used: ${checked.refused}`,
  });
}

const fields = {
  machineId: { ofTurn: 'code_machine_id', ofTool: 'machine_id', noun: 'machine' },
  workdir: { ofTurn: 'code_workdir', ofTool: 'workdir', noun: 'directory' },
} as const;

function missingTargets(missing: readonly MissingTarget[], isRun: boolean): AppError {
  const details = missing.map(({ field, tool }) => {
    const { ofTurn, ofTool, noun } = fields[field];
    const path = isRun ? ofTool : ofTurn;
    return { path, message: `is required: the configuration of the tool "${tool}" names no ${noun}` };
  });
  const [first] = details;
  return new AppError('VALIDATION_FAILED', { message: `${first?.path} ${first?.message}.`, details });
}

function isUnknown(error: unknown): boolean {
  return error instanceof AppError && error.code === 'NOT_FOUND';
}

function unknownMachine(namedBy: string | undefined): AppError {
  const fault = 'names no machine of this workspace, or one that was revoked';
  if (namedBy !== undefined) {
    const message = `machine_id of the tool "${namedBy}" ${fault}.`;
    return new AppError('NOT_FOUND', { message });
  }
  const path = 'code_machine_id';
  return new AppError('NOT_FOUND', {
    message: `${path} ${fault}.`,
    details: [{ path, message: fault }],
  });
}
