import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../support/free-port.ts';

export interface NodeProcess {
  pid: number;
  url: string;
  /** Resolves when the process is gone. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  hasEnded(): boolean;
  signal(name: NodeJS.Signals): void;
}

/** Starts the bundled service. Its output is appended to a file. */
export async function startNodeProcess(options: {
  bundle: string;
  logFile: string;
  environment: Record<string, string>;
  inspectPort?: number | undefined;
}): Promise<NodeProcess> {
  const port = await freePort();
  const log = createWriteStream(options.logFile, { flags: 'a' });
  const flags = options.inspectPort === undefined ? [] : [`--inspect=127.0.0.1:${options.inspectPort}`];
  const child: ChildProcess = spawn(process.execPath, [...flags, join(options.bundle, 'service.mjs')], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: join(options.bundle, 'compiled'),
      PORT: String(port),
      ...options.environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that SIGKILL ends all processes of a node.
    detached: true,
  });
  log.write(`--- process ${child.pid} on port ${port}\n`);
  child.stdout?.on('data', (chunk: Buffer) => void log.write(chunk));
  child.stderr?.on('data', (chunk: Buffer) => void log.write(chunk));
  let hasEnded = false;
  const kill = () => {
    if (child.pid === undefined || hasEnded) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch (error) {
      // It may have ended by itself a moment ago.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  };
  process.once('exit', kill);
  const ended = (once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>).then(
    ([code, signal]) => {
      hasEnded = true;
      process.off('exit', kill);
      log.end(`--- process ${child.pid} ended: ${signal ?? code}\n`);
      return { code, signal };
    },
  );
  return {
    pid: child.pid ?? 0,
    url: `http://127.0.0.1:${port}`,
    ended,
    hasEnded: () => hasEnded,
    signal: (name) => void (name === 'SIGKILL' ? kill() : child.kill(name)),
  };
}
