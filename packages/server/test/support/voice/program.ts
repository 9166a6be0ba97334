import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { patienceMs } from '../patience.ts';

export interface Program {
  /** All that it has printed. */
  readonly output: string;
  /** Resolves when the text was printed; rejects if the program ends before, or takes too long. */
  printed(text: string | RegExp): Promise<void>;
  /** Its exit code, when it has ended. */
  ended(): Promise<number | null>;
  /** Ends it; repeated calls are harmless. A program with processes of its own has to be asked, so that it ends them too. */
  stop(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>;
}

/** Debian installs servers into a folder that only root has on the PATH. */
const path = `${process.env.PATH}:/usr/sbin`;

/** Runs a program that is a peer of ours on the telephone. */
export function startProgram(command: string, args: string[], folder: string): Program {
  const child: ChildProcess = spawn(command, args, {
    cwd: folder,
    env: { ...process.env, PATH: path },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = once(child, 'exit') as Promise<[number | null]>;
  const watchers = new Set<() => void>();
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      for (const look of watchers) look();
    });
  }
  const isRunning = () => child.exitCode === null && child.signalCode === null;

  return {
    get output() {
      return output;
    },
    printed(text) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const give = (reason: string) => reject(new Error(`${command} ${reason} '${text}':\n${output}`));
      const isThere = () => (typeof text === 'string' ? output.includes(text) : text.test(output));
      const look = () => {
        if (isThere()) resolve();
      };
      const limit = setTimeout(give, patienceMs, 'did not print');
      watchers.add(look);
      void exit.then(() => give('ended before it printed'), reject);
      look();
      return promise.finally(() => {
        clearTimeout(limit);
        watchers.delete(look);
      });
    },
    async ended() {
      const [code] = await exit;
      return code;
    },
    async stop(signal = 'SIGKILL') {
      if (!isRunning()) return;
      child.kill(signal);
      await exit;
    },
  };
}
