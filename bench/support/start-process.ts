import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { CleanUp } from './clean-up.ts';

export interface ProcessOptions {
  /** A TypeScript file that listens on PORT of 127.0.0.1. */
  file: string;
  environment: Record<string, string>;
  /** Answers 2xx once the process can serve. */
  readyPath: string;
}

export interface MeasuredProcess {
  url: string;
  pid: number;
}

const readyWithinMilliseconds = 60_000;
const endWithinMilliseconds = 20_000;
const stopWithLauncher = import.meta.resolve('../../scripts/lib/stop-with-launcher.mjs');

/** Runs a server in its own process until the run is over. */
export async function startProcess(cleanUp: CleanUp, options: ProcessOptions): Promise<MeasuredProcess> {
  const port = await freePort();
  const child = spawn(process.execPath, ['--import', stopWithLauncher, fileURLToPath(options.file)], {
    env: { PATH: process.env['PATH'], PORT: String(port), ...options.environment },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // The terminal's Ctrl-C must not reach it beside our own signal: a second one ends a service without order.
    detached: true,
  });
  const exit = once(child, 'exit');
  await cleanUp.add(() => end(child, exit));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-10_000);
    });
  }
  const url = `http://127.0.0.1:${port}`;
  const giveUpAt = performance.now() + readyWithinMilliseconds;
  while (!(await answers(url + options.readyPath))) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`${options.file} ended:\n${output}`);
    if (performance.now() > giveUpAt) throw new Error(`${options.file} does not become ready:\n${output}`);
    await delay(50);
  }
  if (child.pid === undefined) throw new Error(`${options.file} has no process.`);
  return { url, pid: child.pid };
}

async function end(child: ChildProcess, exit: Promise<unknown[]>): Promise<void> {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), endWithinMilliseconds);
  await exit;
  clearTimeout(timer);
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch (error) {
    // The port is not open yet.
    if (error instanceof TypeError) return false;
    throw error;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new TypeError('A TCP server has a port.');
  return address.port;
}
