import type { GrantOffer } from '@svc/contract/approval-grants';
import type { Approval } from '@svc/contract/approvals';
import { visibleText } from '@svc/contract/visible-text';
import { timeLeft } from '../../lib/time-left.ts';
import { isObject } from '../../validation/json-schema/check.ts';
import { diffLines, type StyledLine } from './diff-lines.ts';

export interface ShownApproval {
  approval: Approval;
  botName: string;
  /** Which of how many, as text. */
  place: string;
  now: Date;
  /** How wide the terminal is. */
  columns: number;
}

const mark = '  │ ';
/** One column is left free, because a terminal may wrap a row that fills it. */
const spare = mark.length + 1;
const minWidth = 16;

/** The exact call that is asked about. Every row with text of a model is marked, including wrapped rows. */
export function approvalLines({ approval, botName, place, now, columns }: ShownApproval): StyledLine[] {
  const { tool_name: name, context, arguments: given, expires_at: expiresAt } = approval;
  const left = timeLeft(new Date(expiresAt), now);
  const width = Math.max(columns - spare, minWidth);
  const plain = (text: string): StyledLine => ({ text, style: 'dim' });
  const quoted = (text: string) => rowsOf(visibleText(text), width).map((row) => plain(`${mark}${row}`));
  // Each line by itself, because a row of a wrapped line does not begin with its sign.
  const quotedDiff = (diff: string) =>
    diffLines(diff).flatMap(({ text, style }) => quoted(text).map((row) => ({ ...row, style })));
  const asked = approval.is_question ? `${name} needs an answer.` : `${botName} asks: may it call ${name}?`;
  const question = oneLine(`${place}${asked} (${left} left to answer)`);
  const [first = '', ...more] = rowsOf(visibleText(question), width);
  return [
    plain(first),
    ...more.map((row) => plain(`${mark}${row}`)),
    ...(approval.title && approval.title !== name && context.kind === 'call' ? quoted(approval.title) : []),
    ...describe(),
    ...(approval.is_question ? describeFields() : describeArguments()),
  ];

  function describeArguments(): StyledLine[] {
    return [plain('Arguments:'), ...quoted(JSON.stringify(given, null, 2))];
  }

  function describeFields(): StyledLine[] {
    const fields = fieldsOf(approval.arguments_schema);
    if (fields.length === 0) return [plain('It only wants to know whether you agree.')];
    return [plain('Fields of the answer:'), ...fields.flatMap((field) => quoted(fieldText(field)))];
  }

  function describe(): StyledLine[] {
    switch (context.kind) {
      case 'diff':
        return [
          plain('Change to:'),
          ...quoted(context.path),
          plain('Difference:'),
          ...quotedDiff(context.diff),
        ];
      case 'command':
        return [
          plain('Command:'),
          ...quoted(context.command),
          plain('In the folder, on the machine:'),
          ...quoted(context.cwd),
          ...quoted(context.machine),
        ];
      case 'call':
        return [plain(approval.is_question ? 'Question:' : 'Call:'), ...quoted(context.summary)];
    }
  }
}

export interface QuestionField {
  name: string;
  schema: Record<string, unknown>;
  isRequired: boolean;
}

/** The fields that a question of a tool has. */
export function fieldsOf({ properties, required }: Approval['arguments_schema']): QuestionField[] {
  const names: unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => ({
    name,
    schema: isObject(schema) ? schema : {},
    isRequired: names.includes(name),
  }));
}

/** Such as `account (string, required): The number of your account`. */
function fieldText({ name, schema, isRequired }: QuestionField): string {
  const { type, enum: choices, description, title } = schema;
  const kind = Array.isArray(choices) ? `one of ${JSON.stringify(choices)}` : type;
  const facts = [typeof kind === 'string' ? kind : 'any value', isRequired ? 'required' : 'optional'];
  const about = [description, title].find((text): text is string => typeof text === 'string' && text !== '');
  return `${name} (${facts.join(', ')})${about === undefined ? '' : `: ${about}`}`;
}

/** What a grant covers, in words. */
export function grantText({ kind, command, directory }: GrantOffer): string {
  const place = visibleText(directory);
  return kind === 'edits'
    ? `changes of files in ${place} (not of secrets or .git)`
    : `"${visibleText(command ?? '')}" in ${place}, word for word`;
}

/** Rows that are never wider than this, however wide the terminal draws a character. */
function rowsOf(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => {
    const rows: string[] = [];
    let row = '';
    let used = 0;
    for (const character of line) {
      const cells = maxCells(character);
      if (used + cells > width) {
        rows.push(row);
        row = '';
        used = 0;
      }
      row += character;
      used += cells;
    }
    return [...rows, row];
  });
}

function maxCells(character: string): number {
  if (character === '\t') return 8;
  return character <= '~' ? 1 : 2;
}

function oneLine(text: string): string {
  return text.replaceAll(/[\n\t]+/g, ' ');
}
