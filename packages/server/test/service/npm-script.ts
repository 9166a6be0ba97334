import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { bundledService, inherited } from '../support/service-process.ts';

const project = resolve(import.meta.dirname, '../../../..');

export interface Launched {
  stdout(): string;
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
  /** Waits until the process and everything that shares its output has ended. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

const launchedHere = new Set<Launched>();

/** Ends what a failed test left running, with a second signal for processes that ignore the first. */
export async function endLaunched(): Promise<void> {
  while (launchedHere.size > 0) {
    for (const launched of launchedHere) launched.kill('SIGTERM');
    await Promise.race([sleep(2_000), Promise.all([...launchedHere].map((launched) => launched.ended))]);
  }
}

/** Runs `npm start` and the like as a user types it, with only the given environment. */
export function runNpm(args: string[], environment: Record<string, string>): Launched {
  return launch('npm', args, environment);
}

/** Runs what npm would run, without npm. */
export function runLauncher(environment: Record<string, string>, script = 'start.mjs'): Launched {
  return launch(process.execPath, [join(project, 'scripts', script)], environment);
}

/** Runs only what the launcher would start, as one file. */
export function runBundled(environment: Record<string, string>): Launched {
  return launch(process.execPath, [bundledService], environment);
}

function launch(command: string, args: string[], environment: Record<string, string>): Launched {
  const child = spawn(command, args, {
    cwd: project,
    env: { ...inherited, HOME: process.env['HOME'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    // On Windows, npm is a script, not a program.
    shell: process.platform === 'win32',
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      output[name] += chunk;
    });
  const launched: Launched = {
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    kill: (signal) => void child.kill(signal),
    ended: once(child, 'close').then(([code, signal]) => {
      launchedHere.delete(launched);
      return { code, signal };
    }),
  };
  launchedHere.add(launched);
  return launched;
}

/** Expects that nothing started with this data directory still runs, including PostgreSQL. */
export async function expectNothingLeft(dataDirectory: string): Promise<void> {
  await expect.poll(() => processesNaming(dataDirectory)).toEqual([]);
}

/** Linux shows each process's command and environment; elsewhere this finds nothing. */
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
    // It has ended meanwhile, or belongs to another user.
    return '';
  }
}
