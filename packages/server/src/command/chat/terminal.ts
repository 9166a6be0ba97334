import { createInterface } from 'node:readline/promises';
import { isatty } from 'node:tty';
import { styleText } from 'node:util';
import { printable } from '../output.ts';

export interface Terminal {
  /** A person types; otherwise lines come through a pipe. */
  readonly isInteractive: boolean;
  /** How wide it is now. */
  columns(): number;
  /** Asks for the next line. Undefined when there are no more: end of input, or Ctrl-C while nothing runs. */
  nextLine(): Promise<string | undefined>;
  /**
   * Asks a person something else than for their next message. Undefined when there is no answer: the signal came first, or the
   * input ended. What was typed ahead is not taken for an answer, because it was typed before the question could be read.
   */
  ask(prompt: string, signal: AbortSignal): Promise<string | undefined>;
  /** Gives the terminal to another program, such as an editor, while that works. */
  lend<Result>(work: () => Promise<Result>): Promise<Result>;
  /** A piece of the reply, to standard output. */
  write(text: string): void;
  /** The reply is over: the next thing stands on a new line. */
  endReply(): void;
  /** A line about the reply, to standard error, so that a pipe carries the reply alone. */
  say(text: string): void;
  /** Who hears of Ctrl-C from now on; undefined: it ends the input. */
  onInterrupt(handler: (() => void) | undefined): void;
  close(): void;
}

const usualPrompt = 'you> ';
const usualColumns = 80;

/** `onOutputLost` is called when nobody reads standard output any more. */
export function openTerminal(onOutputLost: () => void): Terminal {
  const { stdin, stdout, stderr } = process;
  const isInteractive = isatty(stdin.fd);
  const readline = createInterface({
    input: stdin,
    terminal: isInteractive,
    prompt: usualPrompt,
    ...(isInteractive && { output: stdout.isTTY ? stdout : stderr }),
  });
  const lines: string[] = [];
  let isClosed = false;
  let isMidLine = false;
  let take: ((line: string | undefined) => void) | undefined;
  let interrupted: (() => void) | undefined;

  let isLent = false;
  /** What is to be shown once the terminal is back: written over an editor it would be lost, and spoil what is edited. */
  const held: (() => void)[] = [];
  const show = (output: () => void) => void (isLent ? held.push(output) : output());

  // In an editor Ctrl-C is the editor's.
  const interrupt = () => (isLent ? undefined : interrupted ? interrupted() : readline.close());
  const give = (line: string | undefined) => {
    const waiting = take;
    take = undefined;
    waiting?.(line);
  };

  function endReply(): void {
    if (isMidLine) stdout.write('\n');
    isMidLine = false;
  }

  readline.on('line', (line) => (take ? give(line) : lines.push(line)));
  readline.on('close', () => {
    isClosed = true;
    if (isInteractive && take) stderr.write('\n');
    give(undefined);
  });
  // With a person's terminal Ctrl-C is a key; otherwise, and from `kill`, it is a signal.
  readline.on('SIGINT', interrupt);
  process.on('SIGINT', interrupt);
  stdout.on('error', onOutputLost);

  return {
    isInteractive,
    // Zero where a terminal has not been told its size.
    columns: () => stderr.columns || stdout.columns || usualColumns,
    nextLine() {
      const line = lines.shift();
      if (line !== undefined || isClosed) return Promise.resolve(line);
      if (isInteractive) readline.prompt();
      return new Promise((resolve) => {
        take = resolve;
      });
    },
    async ask(prompt, signal) {
      if (isClosed || signal.aborted) return undefined;
      const ended = () => {
        // What was begun to be typed is no part of the next line.
        readline.write(null, { ctrl: true, name: 'u' });
        stderr.write('\n');
        give(undefined);
      };
      signal.addEventListener('abort', ended, { once: true });
      readline.setPrompt(prompt);
      readline.prompt();
      try {
        return await new Promise<string | undefined>((resolve) => {
          take = resolve;
        });
      } finally {
        signal.removeEventListener('abort', ended);
        readline.setPrompt(usualPrompt);
      }
    },
    async lend(work) {
      isLent = true;
      readline.pause();
      if (isInteractive) stdin.setRawMode(false);
      try {
        return await work();
      } finally {
        if (isInteractive) stdin.setRawMode(true);
        readline.resume();
        isLent = false;
        for (const output of held.splice(0)) output();
      }
    },
    write(text) {
      if (text === '') return;
      show(() => {
        stdout.write(stdout.isTTY ? printable(text) : text);
        isMidLine = !text.endsWith('\n');
      });
    },
    endReply: () => show(endReply),
    say(text) {
      show(() => {
        // Between the pieces of a reply that goes to a file nothing may be added.
        if (isMidLine && stdout.isTTY) endReply();
        stderr.write(`${styleText('dim', printable(text), { stream: stderr })}\n`);
      });
    },
    onInterrupt(handler) {
      interrupted = handler;
    },
    close() {
      readline.close();
      process.off('SIGINT', interrupt);
    },
  };
}
