import type { BotTool } from '@svc/contract/bot-versions';
import type { ToolAssign } from '@svc/contract/tools';
import { AppError } from '../app-error.ts';
import type { Transaction } from '../database/database.ts';
import { newId } from '../new-id.ts';
import type { ToolRegistry } from './registry.ts';
import { type NewAssignment, type ToolRow, toolStore } from './store.ts';

/** Why an entry cannot be assigned. */
export interface AssignmentFault {
  path: string;
  message: string;
  /** There is no such tool, as opposed to one that does not fit. */
  isUnknownTool: boolean;
}

/** What entries come to. The tools they name are held, so that none is deleted before they are written. */
export async function planAssignments(
  tx: Transaction,
  workspaceId: string,
  entries: readonly ToolAssign['assignments'][number][],
  registry: ToolRegistry,
): Promise<{ wanted: NewAssignment[]; faults: (AssignmentFault & { index: number })[] }> {
  const ids = entries.flatMap(({ tool_configuration_id: id }) => id ?? []);
  const held = ids.length > 0 ? await toolStore.hold(tx, workspaceId, ids) : [];
  const rows = new Map(held.map((row) => [row.id, row]));
  const faults = entries.flatMap((entry, index) => {
    const fault = faultOf(entry, rows, registry);
    return fault ? [{ ...fault, index }] : [];
  });
  return { wanted: entries.map(toAssignment), faults };
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
    const message = `names a tool that is no longer there (${toolType} ${toolId})`;
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

/** An assignment as it is told, and as versions of a bot keep it. */
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

/** Names every entry that is wrong. */
export function unassignable(faults: readonly (AssignmentFault & { index: number })[]): AppError {
  const details = faults.map(({ index, path, message }) => ({ path: `tools.${index}.${path}`, message }));
  const message = `${details.map((one) => `${one.path} ${one.message}`).join('; ')}.`;
  return new AppError('VALIDATION_FAILED', { message, details });
}
