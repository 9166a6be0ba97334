import { setTimeout as sleep } from 'node:timers/promises';
import type { ProxyMode, TcpProxy } from '../../support/faults/tcp-proxy.ts';
import type { History } from '../history.ts';
import type { ClusterNode } from '../stage/cluster-node.ts';
import type { Stage } from '../stage/stage.ts';
import type { Fault } from './plan-faults.ts';
import { createTakeovers, type Takeovers } from './takeovers.ts';
import { createWorkers } from './workers.ts';

const terminationLimitMs = 10_000;

export interface FaultInjection {
  /** Resolves when every fault has happened and is lifted. */
  done: Promise<void>;
  takeovers: Takeovers;
}

/** Carries out the plan. Faults of one target wait for each other; different targets fail at the same time. */
export function injectFaults(
  stage: Stage,
  history: History,
  options: { faults: readonly Fault[]; newBundle: string; patience: number },
): FaultInjection {
  const { faults, newBundle, patience } = options;
  const takeovers = createTakeovers(stage, history, patience);
  const workers = createWorkers(stage);
  const queues = new Map<string, Promise<void>>();
  const measuring: Promise<void>[] = [];
  return { done: run(), takeovers };

  async function run(): Promise<void> {
    const startedAt = performance.now();
    for (const fault of faults) {
      await sleep(Math.max(0, fault.atMs - (performance.now() - startedAt)));
      const target = targetOf(fault);
      queues.set(
        target,
        (queues.get(target) ?? Promise.resolve()).then(() => apply(fault)),
      );
    }
    await Promise.all(queues.values());
    await Promise.all(measuring);
  }

  async function apply(fault: Fault): Promise<void> {
    const node = stage.nodes[fault.node];
    if (!node) throw new Error(`There is no node ${fault.node}.`);
    const place = fault.kind.endsWith('node') ? ` ${fault.node + 1}` : '';
    history.announce(`fault: ${fault.kind}${place} for ${fault.durationMs} ms`);
    history.count(`fault: ${fault.kind}`);
    await work(fault, node);
    history.note(`lifted: ${fault.kind}${place}`);
  }

  async function work({ kind, durationMs }: Fault, node: ClusterNode): Promise<void> {
    const { postgres, redis } = stage;
    switch (kind) {
      case 'kill node':
        return stage.processes > 1 ? killWorker(durationMs) : kill(node, durationMs);
      case 'upgrade node':
        node.bundle = newBundle;
        return roll(node, durationMs);
      case 'roll node':
        return roll(node, durationMs);
      case 'pause node':
        if (stage.processes > 1) return workers.pause(durationMs);
        node.pause();
        await sleep(durationMs);
        return node.resume();
      case 'cut database of node':
        return disturb(node.database, 'cut', durationMs);
      case 'hold database of node':
        return disturb(node.database, 'held', durationMs);
      case 'slow database of node':
        return disturb(node.database, 'slow', durationMs);
      case 'cut redis of node':
        return disturb(node.redis, 'cut', durationMs);
      case 'hold redis of node':
        return disturb(node.redis, 'held', durationMs);
      case 'restart postgres':
      case 'crash postgres':
      case 'kill postgres':
        await postgres.stop(
          kind === 'restart postgres' ? 'SIGINT' : kind === 'crash postgres' ? 'SIGQUIT' : 'SIGKILL',
        );
        await sleep(durationMs);
        return postgres.start();
      case 'restart redis':
      case 'kill redis':
        await redis?.stop(kind === 'kill redis' ? 'SIGKILL' : 'SIGTERM');
        await sleep(durationMs);
        return redis?.start();
      case 'pause redis':
        redis?.pause();
        await sleep(durationMs);
        return redis?.resume();
    }
  }

  async function kill(node: ClusterNode, downMs: number): Promise<void> {
    const pid = node.pid();
    const watched = pid === undefined ? undefined : await takeovers.watch(pid);
    await node.end('SIGKILL');
    if (watched) measuring.push(watched());
    await sleep(downMs);
    await node.start();
  }

  /** The node itself replaces the worker. */
  async function killWorker(choice: number): Promise<void> {
    const pid = await workers.pick(choice);
    if (pid === undefined) return;
    const watched = await takeovers.watch(pid);
    workers.signal(pid, 'SIGKILL');
    measuring.push(watched());
  }

  async function roll(node: ClusterNode, downMs: number): Promise<void> {
    const ended = node.end('SIGTERM');
    const tookMs = await Promise.race([ended, sleep(terminationLimitMs * patience)]);
    if (tookMs === undefined) {
      history.find({
        what: `${node.name} did not end within ${(terminationLimitMs * patience) / 1000} s of SIGTERM`,
        ids: [node.name],
      });
      await node.end('SIGKILL');
    } else history.note(`${node.name} ended ${Math.round(tookMs)} ms after SIGTERM`);
    await sleep(downMs);
    await node.start();
  }

  async function disturb(proxy: TcpProxy | undefined, mode: ProxyMode, durationMs: number): Promise<void> {
    proxy?.set(mode);
    await sleep(durationMs);
    proxy?.set('open');
  }
}

function targetOf({ kind, node }: Fault): string {
  if (kind.endsWith('postgres')) return 'postgres';
  if (kind.endsWith('redis')) return 'redis';
  if (kind.includes(' of node')) return `${kind.split(' ')[1]} of node ${node}`;
  return `node ${node}`;
}
