/** How many entries of a list are drawn, and how many more each time. */
export const pageSize = 100;
/** Longer ones stay closed at first. */
const maxOpenEntries = 50;

type Tree = Record<string, unknown> | readonly unknown[];

/** Whether a value has something below it. */
export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && sizeOf(value as Tree) > 0;
}

export function isOpenAtFirst(value: Tree, depth: number, openDepth: number): boolean {
  return depth === 0 || (depth < openDepth && sizeOf(value) <= maxOpenEntries);
}

/** The first entries, and how many are left. */
export function entriesOf(value: Tree, limit: number): { shown: [string | number, unknown][]; rest: number } {
  const shown: [string | number, unknown][] = Array.isArray(value)
    ? value.slice(0, limit).map((entry: unknown, index): [number, unknown] => [index, entry])
    : Object.entries(value).slice(0, limit);
  return { shown, rest: Math.max(0, sizeOf(value) - limit) };
}

/** `{ 3 fields }`, `[ 12 entries ]`. */
export function summaryOf(value: Tree): string {
  const size = sizeOf(value);
  if (Array.isArray(value)) return `[ ${size} ${size === 1 ? 'entry' : 'entries'} ]`;
  return `{ ${size} ${size === 1 ? 'field' : 'fields'} }`;
}

/** A text in quotes, with its lines on lines of their own; a backslash and an n that are part of it stay so. */
export function quoted(text: string): string {
  const lines = text.split('\n').map((line) => JSON.stringify(line).slice(1, -1));
  return `"${lines.join('\n')}"`;
}

function sizeOf(value: Tree): number {
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}
