import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { until } from '../../support/faults/until.ts';

export interface RedisServer {
  /** For proxies: Redis listens on a Unix socket only. */
  connect(): Socket;
  start(): Promise<void>;
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  pause(): void;
  resume(): void;
}

/**
 * A Redis without persistence that can be stopped and started again. It has a Unix socket, because the load's own connections
 * could take its port while it is down.
 */
export async function startRedisServer(directory: string): Promise<RedisServer> {
  const socket = join(directory, 'redis.sock');
  let child: ChildProcess | undefined;
  const kill = () => void child?.kill('SIGKILL');
  process.once('exit', kill);

  const accepts = () =>
    new Promise<boolean>((resolve) => {
      const probe = connect(socket, () => resolve(true));
      probe.on('connect', () => void probe.destroy());
      probe.on('error', () => resolve(false));
    });
  const server: RedisServer = {
    connect: () => connect(socket),
    async start() {
      const options = ['--port', '0', '--unixsocket', socket, '--save', '', '--appendonly', 'no'];
      child = spawn('redis-server', options, { cwd: directory, stdio: 'ignore' });
      await once(child, 'spawn');
      await until('Redis starts', accepts);
    },
    async stop(signal) {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'close');
      child.kill(signal);
      await ended;
    },
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
  };
  await server.start();
  return server;
}
