import type { CatalogEntry, Tool, ToolAssignment } from '@svc/contract/tools';
import { functionName } from './function-name.ts';
import { toBotTool } from './tool-assignments.ts';
import type { ToolType } from './tool-type.ts';
import type { AssignmentRow, ToolRow } from './tools.store.ts';

export function toWire(row: ToolRow, secretsSet: string[], type: ToolType | undefined): Tool {
  return {
    id: row.id,
    tenant_id: row.workspaceId,
    tool_type: row.toolType,
    name: row.name,
    function_name: functionName(row.name),
    description: row.description,
    preset_id: row.presetId,
    is_default: row.isDefault,
    is_active: row.isActive,
    created_by: row.createdBy,
    metadata: row.metadata,
    configuration: row.configuration,
    secrets_set: secretsSet,
    asks_first: asksFirst(type, row),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

function asksFirst(type: ToolType | undefined, { configuration }: ToolRow): Tool['asks_first'] {
  const asks = Object.values(type?.asks(configuration) ?? {});
  if (!asks.includes(true)) return 'never';
  return asks.includes(false) ? 'sometimes' : 'always';
}

export function catalogEntry(type: ToolType): CatalogEntry {
  return {
    tool_type: type.type,
    name: type.name,
    description: type.description,
    configuration_schema: { ...type.configurationSchema },
    read_only: type.readOnly,
    presets: type.presets.map(({ id, name, configuration }) => ({ id, name, configuration })),
  };
}

/** An assignment with its tool, or with the type itself where a type needs no configuration. */
export function assignmentToWire(
  row: AssignmentRow,
  tool: ToolRow | undefined,
  type: ToolType | undefined,
): ToolAssignment {
  const named = tool ?? (type && { id: null, name: type.name, description: type.description });
  return {
    ...toBotTool(row),
    tool: named
      ? { id: named.id, name: named.name, tool_type: row.toolType, description: named.description }
      : null,
  };
}
