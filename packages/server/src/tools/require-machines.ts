import type { ErrorCode } from '@svc/contract/errors';
import type { Queryable, Transaction } from '../database/database.ts';
import { AppError, invalid } from '../lib/app-error.ts';
import { configurationIds } from './binder.ts';
import { type CodePlace, type MachineTool, type MissingTarget, placesOf } from './code-places.ts';
import type { ToolRegistry } from './tool-registry.ts';
import type { CodeTarget, Configuration, ToolType } from './tool-type.ts';
import { type NewAssignment, toolStore } from './tools.store.ts';

/** Implemented by the machines. */
export interface MachineCheck {
  /**
   * Throws NOT_FOUND if the machine is unknown or revoked, and FORBIDDEN unless its owner has allowed the person and the bot, if
   * there is one.
   */
  requireUse(workspaceId: string, machineId: string, user: MachineUser, query?: Queryable): Promise<unknown>;
  /** Throws FORBIDDEN unless the person may use all of these machines, and all on which one of these bots may work. */
  requireUseOfAll(
    query: Queryable,
    workspaceId: string,
    used: { machineIds: string[]; botIds: string[] },
    callerId: string | undefined,
  ): Promise<void>;
  /**
   * The real path of a directory, or why it cannot be used. Throws as `requireUse` does, and MACHINE_OFFLINE.
   */
  checkWorkdir(
    workspaceId: string,
    machineId: string,
    workdir: string,
    user: MachineUser,
  ): Promise<{ workdir: string } | { refused: string }>;
}

/** On whose behalf a machine is used. */
export interface MachineUser {
  /** The member or account key; undefined if neither is known. */
  callerId: string | undefined;
  botId: string | undefined;
}

export interface MachinesWanted {
  workspaceId: string;
  user: MachineUser;
  /** The bot's tools that work on machines. */
  tools: readonly MachineTool[];
  /** What the turn was sent with. */
  ofTurn: CodeTarget;
  /** A run cannot be sent with a target. */
  isRun: boolean;
}

/** Throws why the tools of a turn cannot work on their machines, and names the field to change. */
export async function requireMachines(
  wanted: MachinesWanted,
  machines: Pick<MachineCheck, 'requireUse' | 'checkWorkdir'>,
): Promise<void> {
  const { workspaceId, user, tools, ofTurn, isRun } = wanted;
  const { places, missing } = placesOf(tools, ofTurn);
  // A machine that the turn names must be the sender's to use even if no tool works on it.
  const { machineId } = ofTurn;
  if (machineId !== undefined && !places.some((place) => place.machineId === machineId)) {
    await machines
      .requireUse(workspaceId, machineId, { ...user, botId: undefined })
      .catch((error: unknown) => {
        throw unusableMachine(error, undefined);
      });
  }
  // A message may need no machine; a call without one is an error to the model.
  if (isRun && missing.length > 0) throw missingTargets(missing);
  for (const place of places) await requirePlace(wanted, place, machines);
}

async function requirePlace(
  { workspaceId, user }: MachinesWanted,
  place: CodePlace,
  machines: Pick<MachineCheck, 'checkWorkdir'>,
): Promise<void> {
  const { machineId, workdir, machineNamedBy, workdirNamedBy } = place;
  const checking = machines.checkWorkdir(workspaceId, machineId, workdir, user);
  const checked = await checking.catch((error: unknown) => {
    throw unusableMachine(error, machineNamedBy);
  });
  if (!('refused' in checked)) return;
  if (workdirNamedBy === undefined) throw invalid('code_workdir', `cannot be used: ${checked.refused}`);
  throw new AppError('WORKDIR_UNAVAILABLE', {
    message: `The directory of the tool "${workdirNamedBy}" cannot be used: ${checked.refused}`,
  });
}

const fields = {
  machineId: { path: 'machine_id', noun: 'machine' },
  workdir: { path: 'workdir', noun: 'directory' },
} as const;

function missingTargets(missing: readonly MissingTarget[]): AppError {
  const details = missing.map(({ field, tool }) => {
    const { path, noun } = fields[field];
    return { path, message: `is required: the configuration of the tool "${tool}" names no ${noun}` };
  });
  const [first] = details;
  return new AppError('VALIDATION_FAILED', { message: `${first?.path} ${first?.message}.`, details });
}

/** Throws unless the caller, and the bot if there is one, may use the machine that a configuration names, if it names one. */
export async function requireNamedMachine(
  { workspaceId, type, callerId, botId }: { workspaceId: string; type: ToolType } & Partial<MachineUser>,
  configuration: Configuration,
  machines: Pick<MachineCheck, 'requireUse'>,
  query?: Queryable,
): Promise<void> {
  const { machineId } = type.codeTargetOf?.(configuration) ?? {};
  if (machineId === undefined) return;
  try {
    await machines.requireUse(workspaceId, machineId, { callerId, botId }, query);
  } catch (error) {
    // A machine that is gone can be named: nothing runs there.
    if (isOf(error, 'NOT_FOUND')) return;
    if (!isOf(error, 'FORBIDDEN')) throw error;
    const { message } = error;
    const path = botId === undefined ? 'configuration.machine_id' : 'assignments';
    throw new AppError('FORBIDDEN', { message, details: [{ path, message }] });
  }
}

/** The same for tools that a bot gets. What it already has may stay, so that whoever edits it can write its tools back. */
export async function requireNewMachines(
  tx: Transaction,
  { workspaceId, callerId, botId }: { workspaceId: string; callerId: string; botId: string },
  wanted: readonly NewAssignment[],
  { registry, machines }: { registry: ToolRegistry; machines: Pick<MachineCheck, 'requireUse'> },
): Promise<void> {
  const current = configurationIds(await toolStore.listAssignments(tx, workspaceId, botId));
  const added = configurationIds(wanted).filter((id) => !current.includes(id));
  const rows = added.length > 0 ? await toolStore.findMany(tx, workspaceId, added) : [];
  for (const { toolType, configuration } of rows) {
    const type = registry.find(toolType);
    const named = { workspaceId, callerId, botId };
    if (type) await requireNamedMachine({ ...named, type }, configuration, machines, tx);
  }
}

/**
 * Throws FORBIDDEN unless the person may use every machine that one of these bots works on: whoever tells a bot what to do
 * decides what happens there. A tool that names no machine works on all that allow its bot.
 */
export async function requireMachinesOfBots(
  query: Queryable,
  { workspaceId, botIds, callerId }: { workspaceId: string; botIds: string[]; callerId: string | undefined },
  { registry, machines }: { registry: ToolRegistry; machines: Pick<MachineCheck, 'requireUseOfAll'> },
): Promise<void> {
  const types = registry.types.filter(({ codeTargetOf }) => codeTargetOf).map(({ type }) => type);
  const rows = await toolStore.listOfTypes(query, workspaceId, botIds, types);
  const used = { machineIds: new Set<string>(), botIds: new Set<string>() };
  for (const { botId, toolType, configuration } of rows) {
    const { machineId } = registry.get(toolType).codeTargetOf?.(configuration ?? {}) ?? {};
    if (machineId === undefined) used.botIds.add(botId);
    else used.machineIds.add(machineId);
  }
  if (rows.length === 0) return;
  const all = { machineIds: [...used.machineIds], botIds: [...used.botIds] };
  await machines.requireUseOfAll(query, workspaceId, all, callerId).catch((error: unknown) => {
    if (!isOf(error, 'FORBIDDEN')) throw error;
    const message = `${error.message} Whoever tells a bot what to do decides what happens where it works.`;
    throw new AppError('FORBIDDEN', { message });
  });
}

/** Names the field to change. */
function unusableMachine(error: unknown, namedBy: string | undefined): unknown {
  if (isOf(error, 'NOT_FOUND')) return unknownMachine(namedBy);
  if (!isOf(error, 'FORBIDDEN')) return error;
  const { message } = error;
  const path = namedBy === undefined ? 'code_machine_id' : `machine_id of the tool "${namedBy}"`;
  return new AppError('FORBIDDEN', { message, details: [{ path, message }] });
}

function isOf(error: unknown, code: ErrorCode): error is AppError {
  return error instanceof AppError && error.code === code;
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
