import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { findRunningPostmaster, isPostmaster } from '../../src/database/embedded/postmaster.ts';
import { databaseFolder } from './database-folder.ts';
import { freePort } from './free-port.ts';
import { patienceMs } from './patience.ts';
import { type Call, createCall } from './test-app.ts';

const sources = resolve(import.meta.dirname, '../../src/main.ts');
/** `npm run svc`, which starts the command from its sources. */
export const commandFile = resolve(import.meta.dirname, '../../bin/svc.mjs');
export const bundledService = join(inject('bundle'), 'service.mjs');
export const bundledCommand = join(inject('bundle'), 'command.mjs');
/** The part of our environment that every process inherits. */
export const inherited = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: join(inject('bundle'), 'compiled'),
};

export interface ServiceProcess {
  child: ChildProcess;
  url: string;
  output(): string;
  /** Waits for readiness. Fails with the output of the process if it exits first. */
  ready(): Promise<void>;
  /** The first account key, from the file that the output names. */
  firstKey(): string | undefined;
  call(key: string): Call;
  /** Sends the signal and waits for the process to exit. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** A data directory that a service has started in before; `isEmpty` for the very first start. */
export async function makeDataDirectory(
  options: { isEmpty?: boolean } = {},
): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(databaseFolder, 'svc-data-'));
  if (!options.isEmpty) {
    await promisify(execFile)('cp', ['-a', inject('preparedCluster'), join(path, 'postgres')]);
  }
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** The service as its own process, from one file; `fromSources` as `npm start` runs it; `launcher` as `svc` does, in a folder. */
export async function startServiceProcess(
  environment: Record<string, string>,
  options: { preload?: string; fromSources?: boolean; launcher?: { file: string; folder: string } } = {},
): Promise<ServiceProcess> {
  const port = environment['PORT'] ?? (await freePort());
  const preload = options.preload === undefined ? [] : ['--import', pathToFileURL(options.preload).href];
  // Services with a database elsewhere write only a few files: the folder goes with the bundle.
  const dataDirectory = join(inject('bundle'), 'data', String(port));
  // A young generation that need not grow first saves a start one in twenty of its processor time.
  const flags = [...preload, '--min-semi-space-size=16'];
  const file = options.launcher?.file ?? (options.fromSources ? sources : bundledService);
  const child = spawn(process.execPath, [...flags, file], {
    cwd: options.launcher?.folder,
    env: { ...inherited, PORT: String(port), SVC_DATA_DIR: dataDirectory, ...environment },
    // A preloaded module may send us messages.
    stdio: ['ignore', 'pipe', 'pipe', options.preload === undefined ? 'ignore' : 'ipc'],
  });
  let output = '';
  if (!child.stdout || !child.stderr) throw new Error('Its output is piped.');
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const url = `http://127.0.0.1:${port}`;
  return {
    child,
    url,
    output: () => output,
    async ready() {
      const giveUpAt = performance.now() + patienceMs;
      while (performance.now() < giveUpAt) {
        if (child.exitCode !== null) throw new Error(`The service ended:\n${output}`);
        // Asking a service that still starts would cost both of us more than waiting for what it says.
        if (output.includes('svc is ready') && (await answers(`${url}/readyz`))) return;
        await new Promise((wake) => setTimeout(wake, 50));
      }
      throw new Error(`The service did not become ready:\n${output}`);
    },
    firstKey() {
      const path = /^ +(\S.*first-key)$/m.exec(output)?.[1];
      return path && readFileSync(path, 'utf8').trim();
    },
    call: (key) => createCall(url, key),
    async end(signal) {
      child.kill(signal);
      const [code, endSignal] = await ended;
      return { code, signal: endSignal };
    },
  };
}

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** `svc …`, as a person would type it. */
export async function runCommand(
  args: string[],
  environment: Record<string, string>,
  file = bundledCommand,
): Promise<CommandResult> {
  const child = spawn(process.execPath, [file, ...args], {
    env: { ...inherited, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const read = async (stream: NodeJS.ReadableStream) => {
    let text = '';
    for await (const chunk of stream) text += String(chunk);
    return text;
  };
  const [stdout, stderr, [code]] = await Promise.all([
    read(child.stdout),
    read(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

/** Stops the PostgreSQL that a killed service left running. */
export async function stopLeftBehind(dataDirectory: string): Promise<void> {
  const cluster = join(dataDirectory, 'postgres');
  const postmaster = await findRunningPostmaster(cluster);
  if (postmaster === undefined) return;
  process.kill(postmaster, 'SIGQUIT');
  while (await isPostmaster(postmaster, cluster)) await new Promise((wake) => setTimeout(wake, 20));
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}
