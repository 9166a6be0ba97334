import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createClient } from '@redis/client';
import { freePort } from './free-port.ts';

export interface RedisServer {
  url: string;
  port: number;
  /** Ends it immediately; its connections break and everything it held is gone. */
  kill(): Promise<void>;
  /** Starts it again on the same port. */
  restart(): Promise<void>;
  /** Its connections stay open and nothing answers. */
  pause(): void;
  resume(): void;
  /** Runs one command, such as `command('PUBSUB', 'CHANNELS')`. */
  command(...args: string[]): Promise<unknown>;
  /** Repeated calls are harmless. */
  stop(): Promise<void>;
}

export interface RedisServerOptions {
  /** Further arguments, such as `--requirepass`. */
  args?: string[];
  /** For `command`, where the server wants a password. */
  password?: string;
}

/** A real redis-server on a free port of this machine, without a file on disk. Works outside of tests too. */
export async function startRedisServer(options: RedisServerOptions = {}): Promise<RedisServer> {
  let port = 0;
  let child = await startOnFreePort();

  async function startOnFreePort(): Promise<ChildProcess> {
    for (let attempt = 1; ; attempt += 1) {
      port = await freePort();
      try {
        return await run(port, options.args);
      } catch (error) {
        // Another process may have taken the port in the meantime.
        if (attempt === 5) throw error;
      }
    }
  }

  async function kill(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    kill,
    stop: kill,
    async restart() {
      await kill();
      child = await run(port, options.args);
    },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async command(...args) {
      const client = createClient({
        socket: { host: '127.0.0.1', port, reconnectStrategy: false },
        ...(options.password !== undefined && { password: options.password }),
      });
      client.on('error', () => undefined);
      await client.connect();
      try {
        return await client.sendCommand(args);
      } finally {
        client.destroy();
      }
    },
  };
}

async function run(port: number, args: string[] = []): Promise<ChildProcess> {
  const own = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = spawn('redis-server', [...own, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`redis-server ended:\n${output}`)));
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('Ready to accept connections')) resolve(child);
    });
  });
}
