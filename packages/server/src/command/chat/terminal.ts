import { createInterface } from 'node:readline/promises';
import { isatty } from 'node:tty';
import { styleText } from 'node:util';
import { printable } from '../command-output.ts';
import type { ChatHistory } from './chat-history.ts';
import type { StyledLine } from './diff-lines.ts';
import { createSpinner } from './spinner.ts';

export type Terminal = ReturnType<typeof openTerminal>;

const defaultPrompt = 'you> ';
const defaultColumns = 80;

export interface TerminalOptions {
  /** Called when standard output is closed. */
  onOutputLost(): void;
  /** Opened only if a person types. */
  openHistory(onProblem: (message: string) => void): ChatHistory;
}

export function openTerminal({ onOutputLost, openHistory }: TerminalOptions) {
  const { stdin, stdout, stderr } = process;
  const isInteractive = isatty(stdin.fd);
  const history = isInteractive ? openHistory((message) => stderr.write(`${message}\n`)) : undefined;
  const readline = createInterface({
    input: stdin,
    terminal: isInteractive,
    prompt: defaultPrompt,
    ...(history && { history: history.lines, historySize: 1_000, removeHistoryDuplicates: true }),
    ...(isInteractive && { output: stdout.isTTY ? stdout : stderr }),
  });
  const lines: string[] = [];
  let isClosed = false;
  let isMidLine = false;
  let take: ((line: string | undefined) => void) | undefined;
  let interrupted: (() => void) | undefined;

  let isAsking = false;
  let isLent = false;
  /** Output that waits while an editor has the terminal: written over it, it would garble the screen. */
  const held: (() => void)[] = [];
  const spinner = createSpinner({
    write: (text) => void stderr.write(text),
    columns,
    // Not over a prompt, a reply, or what is being typed for later.
    mayDraw: () => stderr.isTTY && isInteractive && !isMidLine && !isLent && !take && !readline.line,
  });
  const show = (output: () => void) => {
    if (isLent) return void held.push(output);
    spinner.erase();
    output();
  };

  // In an editor, Ctrl-C belongs to the editor.
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

  /** How wide it is now. Zero if the terminal does not know its size. */
  function columns(): number {
    return stderr.columns || stdout.columns || defaultColumns;
  }

  readline.on('line', (line) => (take ? give(line) : lines.push(line)));
  readline.on('history', (typed) => {
    // Answers to questions are of no use later.
    if (isAsking) typed.shift();
    else if (typed[0]?.trim()) history?.add(typed[0]);
  });
  readline.on('close', () => {
    isClosed = true;
    if (isInteractive && take) stderr.write('\n');
    give(undefined);
  });
  // In a terminal Ctrl-C is a key press; otherwise, and from `kill`, it is a signal.
  readline.on('SIGINT', interrupt);
  process.on('SIGINT', interrupt);
  stdout.on('error', onOutputLost);

  return {
    /** True if a person types; otherwise lines come through a pipe. */
    isInteractive,
    columns,
    /** Asks for the next line. Undefined when there are no more: end of input, or Ctrl-C while nothing runs. */
    nextLine(): Promise<string | undefined> {
      const line = lines.shift();
      if (line !== undefined || isClosed) return Promise.resolve(line);
      spinner.erase();
      if (isInteractive) readline.prompt();
      return new Promise((resolve) => {
        take = resolve;
      });
    },
    /**
     * Asks a person a question. Undefined without an answer: the signal came first, or the input ended. Text that was typed
     * before the question was shown does not count as an answer.
     */
    async ask(prompt: string, signal: AbortSignal): Promise<string | undefined> {
      if (isClosed || signal.aborted) return undefined;
      const ended = () => {
        // Text that was typed so far is not part of the next line.
        readline.write(null, { ctrl: true, name: 'u' });
        stderr.write('\n');
        give(undefined);
      };
      signal.addEventListener('abort', ended, { once: true });
      spinner.erase();
      isAsking = true;
      readline.setPrompt(prompt);
      readline.prompt();
      try {
        return await new Promise<string | undefined>((resolve) => {
          take = resolve;
        });
      } finally {
        signal.removeEventListener('abort', ended);
        isAsking = false;
        readline.setPrompt(defaultPrompt);
      }
    },
    /** Gives the terminal to another program, such as an editor, while it runs. */
    async lend<Result>(work: () => Promise<Result>): Promise<Result> {
      spinner.erase();
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
    /** Writes a part of the reply to standard output. */
    write(text: string): void {
      if (text === '') return;
      show(() => {
        stdout.write(stdout.isTTY ? printable(text) : text);
        isMidLine = !text.endsWith('\n');
      });
    },
    /** Ends the reply: what follows starts on a new line. */
    endReply: () => show(endReply),
    /** Writes a line about the reply to standard error, so that a pipe carries only the reply. */
    say(text: string): void {
      show(() => {
        // Nothing may be inserted into a reply that goes to a file.
        if (isMidLine && stdout.isTTY) endReply();
        stderr.write(`${styleText('dim', printable(text), { stream: stderr })}\n`);
      });
    },
    /** Writes lines that look different, such as those of a diff, in the place of `say`. Without colors where none are wanted. */
    sayLines(styled: readonly StyledLine[]): void {
      show(() => {
        if (isMidLine && stdout.isTTY) endReply();
        for (const { text, style } of styled)
          stderr.write(`${styleText(style, printable(text), { stream: stderr })}\n`);
      });
    },
    /** Says what is running, in a line that is gone when it is not; undefined: nothing is. */
    busy: (text: string | undefined) => spinner.set(text === undefined ? undefined : printable(text)),
    /** Sets the handler for Ctrl-C; without one, Ctrl-C ends the input. */
    onInterrupt(handler: (() => void) | undefined): void {
      interrupted = handler;
    },
    close(): void {
      spinner.set(undefined);
      readline.close();
      process.off('SIGINT', interrupt);
    },
  };
}
