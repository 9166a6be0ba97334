import type { BotConfiguration } from '@svc/contract/bot-versions';
import { inOrder } from './list-fields.ts';

export interface FieldChange {
  field: string;
  before: string;
  after: string;
  /** Long texts are shown as a diff, short ones side by side. */
  isLong: boolean;
}

const longFields = ['system_prompt', 'prompt_builder', 'agent_goal', 'tools', 'output_config', 'description'];

/** What differs between two configurations, the prompt first. */
export function compareVersions(before: BotConfiguration, after: BotConfiguration): FieldChange[] {
  const [one, other] = [flat(before), flat(after)];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return inOrder([...names])
    .map((field) => ({ field, before: toText(one[field]), after: toText(other[field]) }))
    .filter((change) => change.before !== change.after)
    .map((change) => ({ ...change, isLong: isLong(change) }));
}

function flat({ settings, ...fields }: BotConfiguration): Record<string, unknown> {
  return { ...settings, ...fields };
}

/** Texts as they are, everything else as JSON with sorted names, so that only real changes show. */
function toText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return JSON.stringify(sorted(value), null, 2);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, part]) => [name, sorted(part)]));
}

function isLong({ field, before, after }: Omit<FieldChange, 'isLong'>): boolean {
  return (
    longFields.includes(field) || Math.max(before.length, after.length) > 80 || /\n/.test(before + after)
  );
}

/** `3..5` in the address. */
export function parseCompared(text: string | undefined): { from: number; to: number } | undefined {
  const [, from, to] = /^(\d{1,9})\.\.(\d{1,9})$/.exec(text ?? '') ?? [];
  return from && to ? { from: Number(from), to: Number(to) } : undefined;
}
