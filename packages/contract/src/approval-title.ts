import type { Approval, ApprovalDetail } from './approvals.ts';
import { placeholder } from './placeholders.ts';

const maxValueCharacters = 80;
const maxCharacters = 240;

type Titled = Pick<Approval, 'title_template' | 'context' | 'arguments' | 'arguments_schema'> &
  Pick<ApprovalDetail, 'edited_arguments'>;

/** What a call would do, in a sentence of one line; null where its tool has none. With the arguments that a person changed it to. */
export function approvalTitle(approval: Titled): string | null {
  const { title_template: template, context, edited_arguments: edited } = approval;
  const given = edited ?? approval.arguments;
  if (typeof template === 'string') {
    const filled = template.replaceAll(placeholder, (_whole, name: string) =>
      inOneLine(
        textOf(Object.hasOwn(given, name) ? given[name] : defaultOf(approval, name)),
        maxValueCharacters,
      ),
    );
    return inOneLine(filled, maxCharacters);
  }
  if (context.kind === 'diff') return inOneLine(`Change ${context.path}`, maxCharacters);
  if (context.kind === 'call') return null;
  const { command = context.command } = given;
  return inOneLine(`Run ${textOf(command)}`, maxCharacters);
}

/** What is sent for a parameter that the model left out. */
function defaultOf({ arguments_schema: { properties } }: Titled, name: string): unknown {
  const schema = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isObject(schema) ? schema['default'] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
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
