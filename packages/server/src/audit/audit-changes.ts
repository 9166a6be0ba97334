import { isDeepStrictEqual } from 'node:util';

/** A field of an object before and after a change; null where it had, or has, no value. */
export interface AuditChange {
  field: string;
  before: unknown;
  after: unknown;
}

const maxFields = 60;
/** Of a value, as text. */
const maxCharacters = 800;
/** How much of the unchanged text is kept around a difference. */
const contextCharacters = 80;

/** The fields that differ. A new object has no `before`, a deleted one no `after`. */
export function diff(before: object = {}, after: object = {}): AuditChange[] {
  const [one, other] = [before as Record<string, unknown>, after as Record<string, unknown>];
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return names
    .map((field) => ({ field, before: one[field] ?? null, after: other[field] ?? null }))
    .filter((change) => !isDeepStrictEqual(change.before, change.after))
    .slice(0, maxFields)
    .map(bound);
}

/** Cuts long values around their first difference, so that a prompt of any length takes little room. */
export function bound({ field, before, after }: AuditChange): AuditChange {
  if (isShort(before) && isShort(after)) return { field, before, after };
  const [one, other] = [textOf(before), textOf(after)];
  const start = Math.max(0, commonStart(one ?? '', other ?? '') - contextCharacters);
  return { field, before: cut(before, one, start), after: cut(after, other, start) };
}

function isShort(value: unknown): boolean {
  return (textOf(value)?.length ?? 0) <= maxCharacters;
}

function textOf(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function cut(value: unknown, text: string | undefined, start: number): unknown {
  if (text === undefined || text.length <= maxCharacters) return value;
  // Half of a character outside the basic plane is not valid text.
  const piece = text.slice(start, start + maxCharacters).replaceAll(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
  const end = start + maxCharacters < text.length ? '…' : '';
  return `${start > 0 ? '…' : ''}${piece}${end} (${text.length} characters)`;
}

function commonStart(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index += 1) if (one[index] !== other[index]) return index;
  return length;
}
