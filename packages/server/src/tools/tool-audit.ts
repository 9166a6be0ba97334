import { isDeepStrictEqual } from 'node:util';
import { type AuditChange, recordChange } from '../audit/audit.service.ts';
import type { Transaction } from '../database/database.ts';
import type { SecretChanges } from './secrets.ts';
import type { Configuration } from './tool-type.ts';
import type { ToolRow } from './tools.store.ts';

type Audited = Pick<
  ToolRow,
  'id' | 'toolType' | 'name' | 'description' | 'presetId' | 'configuration' | 'metadata'
> &
  Partial<Pick<ToolRow, 'isActive' | 'isDefault'>>;

/** Which secrets were set before a change, and what it does to them. */
export interface SecretsChanged {
  before: readonly string[];
  changes: SecretChanges;
}

export function recordToolCreated(
  tx: Transaction,
  workspaceId: string,
  tool: Audited,
  secrets: SecretChanges,
): Promise<void> {
  return recordChange(tx, workspaceId, {
    action: 'tool.created',
    object: tool,
    after: fieldsOf(tool),
    changes: secretChanges({ before: [], changes: secrets }),
  });
}

export function recordToolChanged(
  tx: Transaction,
  before: ToolRow,
  after: ToolRow,
  secrets?: SecretsChanged,
): Promise<void> {
  return recordChange(tx, before.workspaceId, {
    action: 'tool.updated',
    object: after,
    before: fieldsOf(before),
    after: fieldsOf(after),
    changes: [
      ...headerChanges(before.configuration, after.configuration),
      ...(secrets ? secretChanges(secrets) : []),
    ],
  });
}

export function recordToolDeleted(tx: Transaction, tool: ToolRow): Promise<void> {
  return recordChange(tx, tool.workspaceId, { action: 'tool.deleted', object: tool, before: fieldsOf(tool) });
}

/** Only whether they are set, never a value. */
function secretChanges({ before, changes: { set, cleared } }: SecretsChanged): AuditChange[] {
  const stateOf = (field: string) => (before.includes(field) ? 'set' : 'not set');
  return [
    ...Object.keys(set).map((field) => ({
      field,
      before: stateOf(field),
      after: before.includes(field) ? 'replaced' : 'set',
    })),
    ...cleared
      .filter((field) => before.includes(field))
      .map((field) => ({ field, before: 'set', after: 'not set' })),
  ];
}

function fieldsOf({ toolType, configuration, ...tool }: Audited): object {
  const configured = Object.entries(configuration).map(([name, value]) => [
    `configuration.${name}`,
    name === 'headers' ? namesOf(value) : value,
  ]);
  return {
    tool_type: toolType,
    name: tool.name,
    description: tool.description,
    preset_id: tool.presetId,
    is_active: tool.isActive ?? true,
    is_default: tool.isDefault ?? false,
    ...Object.fromEntries(configured),
    metadata: tool.metadata,
  };
}

/** People put keys into headers, although there are fields for them. */
function namesOf(headers: unknown): unknown {
  return typeof headers === 'object' && headers !== null ? Object.keys(headers) : headers;
}

function headerChanges(before: Configuration, after: Configuration): AuditChange[] {
  const [one, other] = [before['headers'], after['headers']];
  if (!isDeepStrictEqual(namesOf(one), namesOf(other)) || isDeepStrictEqual(one, other)) return [];
  return [{ field: 'configuration.headers', before: namesOf(one), after: 'values changed' }];
}
