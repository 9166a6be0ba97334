import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { freePort } from '../support/free-port.ts';

const script = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/dist/index.js',
);

export interface EverythingServer {
  url: string;
  /** Restarts it at the same address, after which it knows no earlier session. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** The reference MCP server as a separate process. */
export async function startEverythingServer(): Promise<EverythingServer> {
  const port = await freePort();
  let child = await start(port);
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'close');
    child.kill('SIGKILL');
    await ended;
  };
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async restart() {
      await stop();
      child = await start(port);
    },
    stop,
  };
}

async function start(port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [script, 'streamableHttp'], {
    env: { PATH: process.env['PATH'], PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  // The output is drained, because a server may block when it is not read.
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('listening')) resolve();
    });
    child.once('close', () => reject(new Error(`The MCP server ended:\n${output}`)));
  });
  return child;
}
