import { placeholder } from '../lib/placeholders.ts';
import type { ApprovalRow } from './approvals.store.ts';

const maxValueCharacters = 80;
const maxCharacters = 240;

/** What a call would do, in a sentence of one line; null where its tool has none. With the arguments that a person changed it to. */
export function approvalTitle({
  titleTemplate,
  context,
  arguments: proposed,
  editedArguments,
}: Pick<ApprovalRow, 'titleTemplate' | 'context' | 'arguments' | 'editedArguments'>): string | null {
  const given = editedArguments ?? proposed;
  if (titleTemplate !== null) {
    const filled = titleTemplate.replaceAll(placeholder, (_whole, name: string) =>
      clipped(textOf(Object.hasOwn(given, name) ? given[name] : undefined), maxValueCharacters),
    );
    return clipped(filled, maxCharacters);
  }
  if (context.kind === 'diff') return clipped(`Change ${context.path}`, maxCharacters);
  if (context.kind === 'call') return null;
  const { command = context.command } = given;
  return clipped(`Run ${textOf(command)}`, maxCharacters);
}

function textOf(value: unknown): string {
  if (value === undefined || value === null || value === '') return '—';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** On one line, and never ending with half a surrogate pair. */
function clipped(text: string, longest: number): string {
  const line = text
    .slice(0, 4 * longest)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
