import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { patienceMs } from '../support/patience.ts';
import { bundledCommand, inherited } from '../support/service-process.ts';

export interface ChatProcess {
  /** Writes to standard input. */
  type(text: string): void;
  /** Closes standard input. */
  endInput(): void;
  signal(name: NodeJS.Signals): void;
  stdout(): string;
  stderr(): string;
  /** Resolves when the standard output, or the error output, contains the text. */
  shows(text: string): Promise<void>;
  ended: Promise<number | null>;
}

export interface ChatProcessOptions {
  args: string[];
  environment?: Record<string, string>;
  /** In a pseudo-terminal, where both outputs are one. */
  inTerminal?: boolean;
}

/** Where chats keep their history, in the place of the folder of whoever runs the tests. */
export const configFolder = join(tmpdir(), `svc-config-${process.pid}`);
process.once('exit', () => rmSync(configFolder, { recursive: true, force: true }));

/** `svc chat …` while it runs. */
export function startChat({ args, environment = {}, inTerminal = false }: ChatProcessOptions): ChatProcess {
  const line = [process.execPath, bundledCommand, 'chat', ...args];
  const quoted = line.map((word) => `'${word}'`).join(' ');
  const [program = '', ...rest] = inTerminal ? ['script', '-qefc', quoted, '/dev/null'] : line;
  const child = spawn(program, rest, {
    env: { ...inherited, SHELL: '/bin/sh', XDG_CONFIG_HOME: configFolder, ...environment },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = (once(child, 'close') as Promise<[number | null]>).then(([code]) => code);
  return {
    type: (text) => void child.stdin.write(text),
    endInput: () => void child.stdin.end(),
    signal: (name) => void child.kill(name),
    stdout: () => stdout,
    stderr: () => stderr,
    async shows(text) {
      const giveUpAt = performance.now() + patienceMs;
      while (!stdout.includes(text) && !stderr.includes(text)) {
        if (performance.now() > giveUpAt || child.exitCode !== null) {
          throw new Error(`"${text}" was not shown:\n${stdout}\n${stderr}`);
        }
        await new Promise((wake) => setTimeout(wake, 20));
      }
    },
    ended,
  };
}
