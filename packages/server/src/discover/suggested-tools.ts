import { type DraftedTool, maxDraftedTools } from '@svc/contract/discover';
import { AppError } from '../lib/app-error.ts';
import type { ToolRegistry } from '../tools/tools.service.ts';
import { clip } from '../validation/clip.ts';
import { isObject } from '../validation/json-schema/check.ts';
import { withApproval } from './approval.ts';
import type { DraftCheck } from './check-draft.ts';
import type { Notes } from './notes.ts';

/** Makes bodies for POST /tools of what a model suggested; an invalid configuration is left to the owner. */
export function readSuggestedTools(
  written: unknown,
  { registry, check }: { registry: Pick<ToolRegistry, 'find'>; check: DraftCheck },
  notes: Notes,
): DraftedTool[] {
  const entries = Array.isArray(written) ? written.slice(0, maxDraftedTools) : [];
  return entries.flatMap((entry: unknown): DraftedTool[] => {
    const suggested = isObject(entry) ? entry : {};
    const type = typeof suggested['tool_type'] === 'string' ? suggested['tool_type'] : '';
    if (!registry.find(type)) {
      notes.add('A suggested tool is left out, because there is no such type.', clip(type, 50) || 'no type');
      return [];
    }
    const name = shortText(suggested['name'], 100) || type;
    const description = shortText(suggested['description'], 2_000) || shortText(suggested['reason'], 2_000);
    const given = isObject(suggested['configuration']) ? suggested['configuration'] : {};
    const configuration = checked({ type, name, given }, check, notes);
    return [{ tool_type: type, name, description, configuration: withApproval(type, configuration) }];
  });
}

function checked(
  { type, name, given }: { type: string; name: string; given: Record<string, unknown> },
  check: DraftCheck,
  notes: Notes,
): Record<string, unknown> {
  try {
    const { configuration, missing } = check(type, given);
    for (const field of missing) notes.add(`Fill in ${field} before the tool is created.`, name);
    return configuration;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const what = Object.keys(given).length > 0 ? 'Its configuration is left out' : 'It needs a configuration';
    notes.add(`${what}: ${clip(error.message, 1_000)}`, name);
    return {};
  }
}

function shortText(value: unknown, longest: number): string {
  return typeof value === 'string' ? value.trim().slice(0, longest).toWellFormed() : '';
}
