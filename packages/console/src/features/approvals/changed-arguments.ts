import type { Approval } from '@svc/contract/approvals';

export interface ChangedArgument {
  /** `amount`, `address.city`, `items[0]`. */
  path: string;
  /** Undefined where the argument did not exist. */
  before: unknown;
  after: unknown;
}

const maxDepth = 4;
/** Characters that are shown before a difference. */
const shownBefore = 20;

/** What a person changed, argument by argument. */
export function changedArguments(before: unknown, after: unknown, path = '', depth = 0): ChangedArgument[] {
  if (isSame(before, after)) return [];
  const [old, now] = [entriesOf(before), entriesOf(after)];
  if (!old || !now || Array.isArray(before) !== Array.isArray(after) || depth >= maxDepth) {
    return [{ path: path || 'everything', before, after }];
  }
  const names = new Set([...old.keys(), ...now.keys()]);
  return [...names].flatMap((name) =>
    changedArguments(old.get(name), now.get(name), join(path, name, Array.isArray(before)), depth + 1),
  );
}

/** Whether quotes have to show where a text begins and ends: spaces there matter too. */
export function needsQuotes(text: string): boolean {
  return text === '' || text !== text.trim();
}

/** A value in one line: `120`, `arrived broken`, `nothing`. */
export function inOneLine(value: unknown, maxCharacters = 80): string {
  const text = isPlainLine(value) ? value : exactly(value);
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;
}

function isPlainLine(value: unknown): value is string {
  return typeof value === 'string' && !needsQuotes(value) && !/[\r\n]/.test(value);
}

function exactly(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

/** Two values that differ, in one line each; of long ones, what is around the first difference. */
export function differenceInOneLine(before: unknown, after: unknown, maxCharacters = 80): [string, string] {
  const plain = [before, after].map((value) => inOneLine(value, Number.POSITIVE_INFINITY));
  // A number that became a text looks the same without quotes.
  const [one = '', other = ''] = plain[0] === plain[1] ? [before, after].map(exactly) : plain;
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  const isLong = Math.max(one.length, other.length) > maxCharacters;
  const start = isLong ? Math.max(0, same - shownBefore) : 0;
  const cut = (text: string) => {
    const end = start + maxCharacters;
    return `${start > 0 ? '…' : ''}${text.slice(start, end)}${text.length > end ? '…' : ''}`;
  };
  return [cut(one), cut(other)];
}

function join(path: string, name: string, isIndex: boolean): string {
  if (isIndex) return `${path}[${name}]`;
  return path ? `${path}.${name}` : name;
}

function entriesOf(value: unknown): Map<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : undefined;
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** What a call is about: the command, the file, or its arguments. */
export function callInOneLine({
  context,
  arguments: given,
}: Pick<Approval, 'context' | 'arguments'>): string {
  if (context.kind === 'diff') return context.path;
  if (context.kind === 'command') return context.command.split('\n', 1)[0] ?? '';
  return Object.entries(given)
    .map(([name, value]) => `${name} ${inOneLine(value)}`)
    .join(', ')
    .slice(0, 200);
}
