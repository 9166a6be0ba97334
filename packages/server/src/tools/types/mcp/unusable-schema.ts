import { setImmediate as nextRound } from 'node:timers/promises';
import { findSchemaFaults } from '../../../validation/json-schema/find-schema-faults.ts';
import type { ListedTool } from './read-answers.ts';

const maxSchemaLength = 64 * 1024;

/** A session returns the same list for a while, so each schema is inspected once. */
const known = new WeakMap<ListedTool, string | null>();

/** The tool without its schema if that is too large. Yields to the event loop after each. */
export async function withoutLargeSchema(tool: ListedTool): Promise<ListedTool> {
  await nextRound();
  if (JSON.stringify(tool.inputSchema).length <= maxSchemaLength) return tool;
  return { ...tool, inputSchema: { type: 'object' }, isTooLarge: true };
}

/** Why a tool cannot be offered because of its schema; null when it can. Yields to the event loop after each. */
export async function unusableSchema(tool: ListedTool): Promise<string | null> {
  const found = known.get(tool);
  if (found !== undefined) return found;
  await nextRound();
  const reason = reasonOf(tool);
  known.set(tool, reason);
  return reason;
}

function reasonOf({ inputSchema, isTooLarge }: ListedTool): string | null {
  if (isTooLarge) return 'its inputSchema is larger than 64 KB';
  const [first] = findSchemaFaults({ ...inputSchema });
  return first ? `${['inputSchema', first.path].filter(Boolean).join('.')} ${first.message}` : null;
}
