import type { OutputConfig } from '@svc/contract/bots';
import { extractJson } from '../../models/extract-json.ts';
import { checkJson } from '../../validation/json-schema/check-json.ts';
import { storableJson } from '../../validation/storable.ts';

export type Output =
  /** As it is stored: a text, or a JSON value as text. */
  { kind: 'usable'; text: string } | { kind: 'unusable'; faults: string[] };

/** Checks an agent's last reply against the output that it is configured to give. */
export async function readOutput(
  config: OutputConfig | null,
  reply: string,
  workspaceId: string,
  signal: AbortSignal,
): Promise<Output> {
  if (config?.format !== 'json') return { kind: 'usable', text: reply };
  // The agent was told to write nothing before or after the JSON.
  const written = extractJson(reply, { allowProse: false });
  if (written.kind === 'broken') return { kind: 'unusable', faults: [`The output ${written.problem}`] };
  const value = storableJson(written.value);
  const faults = config.schema ? await checkJson(config.schema, value, workspaceId, signal) : [];
  if (faults.length === 0) return { kind: 'usable', text: JSON.stringify(value) };
  return {
    kind: 'unusable',
    faults: faults.map(({ path, message }) => `${path || 'The output'} ${message}`),
  };
}
