import type { Approval, ApprovalContext } from '@svc/contract/approvals';
import { visibleText } from '@svc/contract/visible-text';
import { timeLeft } from '../../lib/time-left.ts';

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
export function approvalText({ approval, botName, place, now, columns }: ShownApproval): string {
  const { tool_name: name, context, arguments: given, expires_at: expiresAt } = approval;
  const left = timeLeft(new Date(expiresAt), now);
  const width = Math.max(columns - spare, minWidth);
  const quoted = (text: string) => rowsOf(visibleText(text), width).map((row) => `${mark}${row}`);
  const question = oneLine(`${place}${botName} asks: may it call ${name}? (${left} left to answer)`);
  const [first = '', ...more] = rowsOf(visibleText(question), width);
  return [
    first,
    ...more.map((row) => `${mark}${row}`),
    ...describe(context, quoted),
    'Arguments:',
    ...quoted(JSON.stringify(given, null, 2)),
  ].join('\n');
}

function describe(context: ApprovalContext, quoted: (text: string) => string[]): string[] {
  switch (context.kind) {
    case 'diff':
      return [
        'Change to:',
        ...quoted(context.path),
        'Difference:',
        ...quoted(context.diff.replace(/\n$/, '')),
      ];
    case 'command':
      return [
        'Command:',
        ...quoted(context.command),
        'In the folder, on the machine:',
        ...quoted(context.cwd),
        ...quoted(context.machine),
      ];
    case 'call':
      return ['Call:', ...quoted(context.summary)];
  }
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
