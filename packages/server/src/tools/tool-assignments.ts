import type { BotTool } from '@svc/contract/bot-versions';
import type { ToolAssign } from '@svc/contract/tools';
import type { Transaction } from '../database/database.ts';
import { AppError } from '../lib/app-error.ts';
import { newId } from '../lib/new-id.ts';
import { type Approver, changesUnasked, requireApprover } from './approval-rule.ts';
import type { ToolRegistry } from './tool-registry.ts';
import { type NewAssignment, type ToolRow, toolStore } from './tools.store.ts';

/** Why an entry cannot be assigned. */
export interface AssignmentFault {
  path: string;
  message: string;
  /** The tool does not exist, as opposed to one that does not fit. */
  isUnknownTool: boolean;
}

/** The bot that gets tools, and who gives them. */
export interface Assigning {
  botId: string;
  author: Approver;
}

type IndexedFault = AssignmentFault & { index: number };

/** Turns entries into assignments. Their tools are locked, so that none is deleted before the assignments are written. */
export async function planAssignments(
  tx: Transaction,
  workspaceId: string,
  entries: readonly ToolAssign['assignments'][number][],
  registry: ToolRegistry,
): Promise<{ wanted: NewAssignment[]; faults: IndexedFault[]; tools: ReadonlyMap<string, ToolRow> }> {
  const ids = entries.flatMap(({ tool_configuration_id: id }) => id ?? []);
  const locked = ids.length > 0 ? await toolStore.lockAgainstDeletion(tx, workspaceId, ids) : [];
  const rows = new Map(locked.map((row) => [row.id, row]));
  const faults = entries.flatMap((entry, index) => {
    const fault = faultOf(entry, rows, registry);
    return fault ? [{ ...fault, index }] : [];
  });
  return { wanted: entries.map(toAssignment), faults, tools: rows };
}

function faultOf(
  { tool_type: toolType, tool_configuration_id: toolId = null }: ToolAssign['assignments'][number],
  rows: ReadonlyMap<string, ToolRow>,
  registry: ToolRegistry,
): AssignmentFault | undefined {
  const type = registry.find(toolType);
  if (!type) return { path: 'tool_type', message: 'is not a known type', isUnknownTool: false };
  const path = 'tool_configuration_id';
  if (toolId === null) {
    if (type.needsNoConfiguration) return undefined;
    return { path, message: `is required for ${toolType}`, isUnknownTool: false };
  }
  const row = rows.get(toolId);
  if (!row) {
    const message = `names a tool that no longer exists (${toolType} ${toolId})`;
    return { path, message, isUnknownTool: true };
  }
  if (row.toolType === toolType) return undefined;
  return { path, message: `is not of the type ${toolType}`, isUnknownTool: false };
}

export function toAssignment(entry: ToolAssign['assignments'][number]): NewAssignment {
  return {
    id: newId(),
    toolType: entry.tool_type,
    toolConfigurationId: entry.tool_configuration_id ?? null,
    toolInstructions: entry.tool_instructions ?? '',
    speakDuringExecution: entry.speak_during_execution ?? false,
    speakAfterExecution: entry.speak_after_execution ?? false,
    toolErrorHandlingMode: entry.tool_error_handling_mode ?? 'passthrough',
  };
}

/** An assignment as it is sent, and as a bot's versions store it. */
export function toBotTool(row: NewAssignment): BotTool {
  return {
    tool_type: row.toolType,
    tool_configuration_id: row.toolConfigurationId,
    tool_instructions: row.toolInstructions,
    speak_during_execution: row.speakDuringExecution,
    speak_after_execution: row.speakAfterExecution,
    tool_error_handling_mode: row.toolErrorHandlingMode,
  };
}

/** The assignments that a caller wants. Throws one error with everything that is wrong. */
export async function planAssign(
  tx: Transaction,
  workspaceId: string,
  { bot_id: botId, assignments }: ToolAssign,
  { hasBot, registry, author }: { hasBot: boolean; registry: ToolRegistry; author: Approver },
): Promise<NewAssignment[]> {
  const { wanted, faults, tools } = await planAssignments(tx, workspaceId, assignments, registry);
  const current = await toolStore.listAssignments(tx, workspaceId, botId);
  const all = [...faults, ...findSlips(wanted, current, tools)];
  if (!hasBot || all.length > 0) throw unassigned(all, hasBot);
  checkNewTools(wanted, current, tools, registry, author);
  return wanted;
}

/**
 * Throws FORBIDDEN unless the author may answer approvals, or the bot gets no tool that changes something without asking. That
 * such a tool was allowed elsewhere does not mean that this bot may use it.
 */
export function checkNewTools(
  wanted: readonly NewAssignment[],
  current: readonly NewAssignment[],
  tools: ReadonlyMap<string, ToolRow>,
  registry: ToolRegistry,
  author: Approver,
): void {
  const before = new Set(current.map(({ toolConfigurationId }) => toolConfigurationId));
  for (const { toolType, toolConfigurationId: id } of wanted) {
    const tool = id === null || before.has(id) ? undefined : tools.get(id);
    if (tool && changesUnasked(registry.get(toolType), tool.configuration))
      requireApprover(author, 'tools', `The tool ${tool.name} acts without approval`);
  }
}

/**
 * Likely mistakes: a tool that is assigned twice, or one that is switched off. What the bot already has may stay, so that its
 * tools can be written back as they were read.
 */
function findSlips(
  wanted: readonly NewAssignment[],
  current: readonly NewAssignment[],
  tools: ReadonlyMap<string, ToolRow>,
): IndexedFault[] {
  const nameOf = ({ toolType, toolConfigurationId }: NewAssignment) => toolConfigurationId ?? toolType;
  const names = wanted.map(nameOf);
  const before = new Set(current.map(nameOf));
  return wanted.flatMap(({ toolConfigurationId: toolId }, index) => {
    const path = toolId === null ? 'tool_type' : 'tool_configuration_id';
    const first = names.indexOf(names[index] ?? '');
    const isOff = toolId !== null && tools.get(toolId)?.isActive === false && !before.has(toolId);
    const messages = [
      ...(first < index ? [`is assigned already by assignments.${first}`] : []),
      ...(isOff ? ['names a tool that is switched off: set its is_active to true first'] : []),
    ];
    return messages.map((message) => ({ index, path, message, isUnknownTool: false }));
  });
}

/** Names everything that is wrong with an assignment. For unknown ids it gives only their position. */
function unassigned(faults: readonly IndexedFault[], hasBot: boolean): AppError {
  const details = [
    ...(hasBot ? [] : [{ path: 'bot_id', message: 'names no bot of this workspace' }]),
    ...faults
      .toSorted((one, other) => one.index - other.index)
      .map(({ index, path, message, isUnknownTool }) => ({
        path: `assignments.${index}.${path}`,
        message: isUnknownTool ? 'names no tool of this workspace' : message,
      })),
  ];
  if (faults.every((fault) => fault.isUnknownTool)) return new AppError('NOT_FOUND', { details });
  const [first] = details;
  return new AppError('VALIDATION_FAILED', { message: `${first?.path} ${first?.message}.`, details });
}

/** Names every entry that is wrong. */
export function unassignable(faults: readonly IndexedFault[]): AppError {
  const details = faults.map(({ index, path, message }) => ({ path: `tools.${index}.${path}`, message }));
  const message = `${details.map((one) => `${one.path} ${one.message}`).join('; ')}.`;
  return new AppError('VALIDATION_FAILED', { message, details });
}
