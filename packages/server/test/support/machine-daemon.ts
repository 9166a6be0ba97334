import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { patienceMs } from './patience.ts';

/** The daemon as it is published: see packages/machine/build.ts. */
export const daemonFile = join(inject('bundle'), 'machine/svc-machine.mjs');

export interface DaemonOptions {
  url: string;
  key: string;
  roots: readonly string[];
  /** Reused to start the same instance again; a new folder by default. */
  stateFolder?: string;
  /** False by default, because most tests are not about it and every start would try it out. */
  isSandboxed?: boolean;
  args?: readonly string[];
  /** Something can be typed: `child.stdin`. */
  hasInput?: boolean;
  environment?: Record<string, string>;
}

export interface MachineDaemon {
  child: ChildProcess;
  stateFolder: string;
  output(): string;
  /** Waits until its output matches; fails with the output if the daemon ends before. */
  printed(pattern: RegExp): Promise<void>;
  /** Waits until the service has welcomed it. */
  connected(): Promise<void>;
  /** As by Ctrl-C, or another signal; returns the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** kill -9. */
  kill(): Promise<void>;
  /** Kills it if it is still running, and removes its state. */
  discard(): Promise<void>;
  ended: Promise<number | null>;
}

/** The real daemon as a process of its own. */
export async function startDaemon(options: DaemonOptions): Promise<MachineDaemon> {
  const stateFolder = options.stateFolder ?? (await mkdtemp(join(tmpdir(), 'svc-machine-state-')));
  const args = [
    daemonFile,
    'connect',
    '--url',
    options.url,
    '--state',
    stateFolder,
    ...(options.isSandboxed ? [] : ['--no-sandbox']),
  ];
  args.push(...options.roots.flatMap((root) => ['--root', root]), ...(options.args ?? []));
  const child = spawn(process.execPath, args, {
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NODE_COMPILE_CACHE: join(inject('bundle'), 'compiled'),
      SVC_MACHINE_KEY: options.key,
      ...options.environment,
    },
    stdio: [options.hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  let hasEnded = false;
  const ended = once(child, 'close').then(([code]: (number | null)[]) => {
    hasEnded = true;
    return code ?? null;
  });

  async function printed(pattern: RegExp): Promise<void> {
    const giveUpAt = performance.now() + patienceMs;
    while (!pattern.test(output)) {
      if (hasEnded) throw new Error(`The daemon ended:\n${output}`);
      if (performance.now() > giveUpAt) throw new Error(`The daemon did not print ${pattern}:\n${output}`);
      await new Promise((wake) => setTimeout(wake, 10));
    }
  }

  async function kill(): Promise<void> {
    child.kill('SIGKILL');
    await ended;
  }

  return {
    child,
    stateFolder,
    output: () => output,
    printed,
    connected: () => printed(/connected to/),
    async stop(signal = 'SIGINT') {
      child.kill(signal);
      return ended;
    },
    kill,
    async discard() {
      await kill();
      await rm(stateFolder, { recursive: true, force: true });
    },
    ended,
  };
}

/** An empty folder for agents to work in. */
export async function makeRoot(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'svc-root-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
