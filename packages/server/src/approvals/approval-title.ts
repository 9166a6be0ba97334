import { placeholder } from '../lib/placeholders.ts';
import { isObject } from '../validation/json-schema/check.ts';
import type { ApprovalRow } from './approvals.store.ts';

const maxValueCharacters = 80;
const maxCharacters = 240;

type Titled = Pick<
  ApprovalRow,
  'titleTemplate' | 'context' | 'arguments' | 'argumentsSchema' | 'editedArguments'
>;

/** What a call would do, in a sentence of one line; null where its tool has none. With the arguments that a person changed it to. */
export function approvalTitle(row: Titled): string | null {
  const { titleTemplate, context, editedArguments } = row;
  const given = editedArguments ?? row.arguments;
  if (titleTemplate !== null) {
    const filled = titleTemplate.replaceAll(placeholder, (_whole, name: string) =>
      inOneLine(textOf(Object.hasOwn(given, name) ? given[name] : defaultOf(row, name)), maxValueCharacters),
    );
    return inOneLine(filled, maxCharacters);
  }
  if (context.kind === 'diff') return inOneLine(`Change ${context.path}`, maxCharacters);
  if (context.kind === 'call') return null;
  const { command = context.command } = given;
  return inOneLine(`Run ${textOf(command)}`, maxCharacters);
}

/** What is sent for a parameter that the model left out. */
function defaultOf({ argumentsSchema }: Titled, name: string): unknown {
  const { properties } = argumentsSchema;
  const schema = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isObject(schema) ? schema['default'] : undefined;
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Ends with … if anything is left out, and never with half a surrogate pair. */
function inOneLine(text: string, longest: number): string {
  // A long text is not read as a whole for each list that it is in.
  const read = text.slice(0, 4 * longest);
  const line = read.replaceAll(/\s+/g, ' ').trim();
  const isCut = read.length < text.length || line.length > longest;
  if (!isCut) return line || '—';
  return `${line.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
