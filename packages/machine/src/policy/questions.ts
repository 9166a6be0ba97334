import { createInterface } from 'node:readline';
import type { OperationFrame } from '@svc/contract/machine-protocol';
import { describeOperation } from '../operations/describe-operation.ts';
import { escapeText } from '../terminal/escape-text.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Questions to the person at the machine, one after another. */
export interface Questions {
  /** Resolves to true only for a yes to this very question; to false if the signal is aborted first. */
  ask(frame: OperationFrame, signal: AbortSignal): Promise<boolean>;
  close(): void;
}

const maxLines = 60;
const maxLineCharacters = 1000;

/** What is typed while nothing is asked counts for nothing. */
export function createQuestions(input: NodeJS.ReadableStream, terminal: Terminal): Questions {
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

  async function put(frame: OperationFrame, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted || isClosed) return false;
    number += 1;
    // With its number, so that a yes that comes late does not count for another question.
    const wanted = `yes ${number}`;
    terminal.line(`QUESTION ${number}: ${describeOperation(frame)}`, 'bad');
    for (const line of detailsOf(frame)) terminal.line(`  | ${line}`);
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
    ask(frame, signal) {
      const asked = last.then(() => put(frame, signal));
      last = asked;
      return asked;
    },
    close: () => lines.close(),
  };
}

/** What would be written or run, so that a person can judge it. */
export function detailsOf({ arguments: given }: OperationFrame): string[] {
  const lines = Object.entries(given).flatMap(([field, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const [first = '', ...rest] = text.split('\n');
    return [`${field}: ${first}`, ...rest];
  });
  const shown = lines.slice(0, maxLines).map((line) => escapeText(line, maxLineCharacters));
  const more = lines.length - shown.length;
  return more > 0 ? [...shown, `… and ${more} more lines that are not shown`] : shown;
}
