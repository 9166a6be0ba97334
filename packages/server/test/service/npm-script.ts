import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { inherited } from '../support/service-process.ts';

const project = resolve(import.meta.dirname, '../../../..');
const launcher = join(project, 'scripts/start.mjs');

export interface Launched {
  stdout(): string;
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
  /** Waits until it and whatever shares its output has ended. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

const launchedHere = new Set<Launched>();

/** Ends what a failed test left running; what does not listen the first time does the second time. */
export async function endLaunched(): Promise<void> {
  while (launchedHere.size > 0) {
    for (const launched of launchedHere) launched.kill('SIGTERM');
    await Promise.race([sleep(2_000), Promise.all([...launchedHere].map((launched) => launched.ended))]);
  }
}

/** `npm start` and the like, as a user types it, with nothing in the environment but what is given. */
export function runNpm(words: string[], environment: Record<string, string>): Launched {
  return launch('npm', words, environment);
}

/** What npm runs, without npm around it. */
export function runLauncher(environment: Record<string, string>): Launched {
  return launch(process.execPath, [launcher], environment);
}

function launch(command: string, words: string[], environment: Record<string, string>): Launched {
  const child = spawn(command, words, {
    cwd: project,
    env: { ...inherited, HOME: process.env['HOME'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    // npm is a script there, not a program.
    shell: process.platform === 'win32',
  });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      said[name] += chunk;
    });
  const launched: Launched = {
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    kill: (signal) => void child.kill(signal),
    ended: once(child, 'close').then(([code, signal]) => {
      launchedHere.delete(launched);
      return { code, signal };
    }),
  };
  launchedHere.add(launched);
  return launched;
}

/** Nothing runs any more that was started with this data directory, its PostgreSQL included. */
export async function expectNothingLeft(dataDirectory: string): Promise<void> {
  await expect.poll(() => processesNaming(dataDirectory)).toEqual([]);
}

/** Linux shows each process's command and environment; elsewhere only the tests' other expectations speak. */
function processesNaming(text: string): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    const command = readIfThere(`/proc/${pid}/cmdline`);
    const names = command.includes(text) || readIfThere(`/proc/${pid}/environ`).includes(text);
    return names ? [`${pid} ${command.replaceAll('\0', ' ')}`] : [];
  });
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It ended while we looked, or belongs to somebody else.
    return '';
  }
}
