import { createInterface } from 'node:readline';
import type { OperationFrame } from '@svc/contract/machine-protocol';
import { visibleText } from '@svc/contract/visible-text';
import { describeOperation } from '../operations/describe-operation.ts';
import { escapeText } from '../terminal/escape-text.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Questions to the person at the machine, one after another. */
export type Questions = ReturnType<typeof createQuestions>;

/** With the time and the mark before it, a row fits into 80 columns: the terminal wraps none, so that none can pass for our own. */
const rowCells = 64;
/** What terminals keep to scroll back. */
const maxRows = 1000;
/** More could be off the screen. */
const maxSeenRows = 20;
/** Longer runs could be taken for the end of a line. */
const longBlank = / {40,}/g;

/** What is typed while nothing is asked counts for nothing. */
export function createQuestions(input: NodeJS.ReadableStream, terminal: Terminal) {
  // Not a terminal of its own, so that Ctrl-C still stops the daemon.
  const lines = createInterface({ input, terminal: false });
  let answer: ((line: string | undefined) => void) | undefined;
  let isClosed = false;
  let number = 0;
  let last: Promise<unknown> = Promise.resolve();
  lines.on('line', (line) => answer?.(line));
  lines.on('close', () => {
    isClosed = true;
    answer?.(undefined);
  });

  async function put(frame: OperationFrame, rows: readonly string[], signal: AbortSignal): Promise<boolean> {
    if (signal.aborted || isClosed) return false;
    number += 1;
    // With its number, so that a yes that comes late does not count for another question.
    const wanted = `yes ${number}`;
    // Only a title: the rows have all of it.
    terminal.line(escapeText(`QUESTION ${number}: ${describeOperation(frame)}`, rowCells), 'bad');
    for (const row of rows) terminal.line(`  ${row}`);
    if (rows.length > maxSeenRows) terminal.line(`Read all ${rows.length} rows of it, scrolling up.`, 'bad');
    terminal.line(`Type "${wanted}" to allow it once. Anything else refuses it.`, 'bad');
    const line = await new Promise<string | undefined>((resolve) => {
      answer = resolve;
      signal.addEventListener('abort', () => resolve(undefined), { once: true });
    });
    answer = undefined;
    const isAllowed = line?.trim().toLowerCase() === wanted;
    terminal.line(`question ${number}: ${isAllowed ? 'allowed' : 'not allowed'}`, isAllowed ? 'good' : 'bad');
    return isAllowed;
  }

  return {
    /** Resolves to true only for a yes to this very question; to false if the signal is aborted first. Asks nothing if it is too long. */
    async ask(frame: OperationFrame, signal: AbortSignal): Promise<boolean | 'too long'> {
      const rows = detailsOf(frame);
      if (!rows) return 'too long';
      const asked = last.then(() => put(frame, rows, signal));
      last = asked;
      return asked;
    },
    close: () => lines.close(),
  };
}

/**
 * All of what would be written or run, and where, so that a person can judge it; undefined if it is too long for that. `|` marks a
 * line, and `↪` the rest of one: in a command the end of a line means something. Only fields begin right after the mark.
 */
export function detailsOf({ arguments: given, workdir }: OperationFrame): string[] | undefined {
  const rows: string[] = [];
  for (const [field, value] of [...Object.entries(given), ['working directory', workdir] as const]) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (text.length > maxRows * rowCells) return undefined;
    const lines = visibleText(text).replaceAll('\t', String.raw`\t`).split('\n');
    // The service can add fields of any name.
    const name = visibleText(JSON.stringify(field).slice(1, -1));
    for (const [index, line] of lines.entries())
      rows.push(...rowsOf(index === 0 ? `${name}: ${line}` : `  ${line}`));
    if (rows.length > maxRows) return undefined;
  }
  return rows;
}

function rowsOf(line: string): string[] {
  const rows = [''];
  let used = 0;
  for (const character of line.replaceAll(longBlank, (run) => ` [${run.length} spaces] `)) {
    // However wide the terminal draws it.
    const cells = character <= '~' ? 1 : 2;
    if (used + cells > rowCells) {
      rows.push('');
      used = 0;
    }
    rows[rows.length - 1] += character;
    used += cells;
  }
  return rows.map((row, index) => `${index === 0 ? '|' : '↪'} ${row}`);
}
