import { setTimeout as sleep } from 'node:timers/promises';
import type { TcpProxy } from '../../support/faults/tcp-proxy.ts';
import type { History } from '../history.ts';
import type { Balancer } from './balancer.ts';
import { type NodeProcess, startNodeProcess } from './node-process.ts';

export interface ClusterNode {
  index: number;
  name: string;
  database: TcpProxy;
  redis: TcpProxy | undefined;
  /** Where its memory can be read. */
  inspectPort: number | undefined;
  /** The version that the next start runs. */
  bundle: string;
  pid(): number | undefined;
  isHealthy(): boolean;
  url(): string;
  start(): Promise<void>;
  /** Sends the signal and resolves when the process is gone, to how many milliseconds that took. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number>;
  pause(): void;
  resume(): void;
}

export interface ClusterNodeOptions {
  index: number;
  bundle: string;
  logFile: string;
  environment: Record<string, string>;
  database: TcpProxy;
  redis: TcpProxy | undefined;
  inspectPort: number | undefined;
  balancer: Balancer;
  history: History;
}

const restartAfterMs = 1_000;

/** One node and its supervisor, which starts it again when it ends by itself. */
export function createClusterNode(options: ClusterNodeOptions): ClusterNode {
  const { index, balancer, history } = options;
  const name = `node ${index + 1}`;
  let current: NodeProcess | undefined;
  let isEnding = false;

  async function start(): Promise<void> {
    isEnding = false;
    const started = await startNodeProcess({ ...options, bundle: node.bundle });
    current = started;
    balancer.setTarget(index, started.url);
    history.note(`${name} starts as process ${started.pid}`);
    void started.ended.then(({ code, signal }) => restartAfter(started, signal ?? `exit code ${code}`));
  }

  async function restartAfter(ended: NodeProcess, how: string | number): Promise<void> {
    if (isEnding || current !== ended) return;
    // A node that cannot reach its database at the start ends with one sentence, for its supervisor to try again.
    if (balancer.wasHealthy(index)) {
      history.find({ what: `${name} ended by itself (${how})`, ids: [name, String(ended.pid)] });
    } else {
      history.announce(`${name} could not start (${how}); it is started again`);
    }
    await sleep(restartAfterMs);
    if (!isEnding && current === ended) await start();
  }

  const node: ClusterNode = {
    index,
    name,
    database: options.database,
    redis: options.redis,
    inspectPort: options.inspectPort,
    bundle: options.bundle,
    pid: () => (current?.hasEnded() ? undefined : current?.pid),
    isHealthy: () => balancer.isHealthy(index),
    url: () => current?.url ?? '',
    start,
    async end(signal) {
      isEnding = true;
      const startedAt = performance.now();
      current?.signal(signal);
      await current?.ended;
      return performance.now() - startedAt;
    },
    pause: () => current?.signal('SIGSTOP'),
    resume: () => current?.signal('SIGCONT'),
  };
  return node;
}
