import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus, Subscription, TopicKind } from '../bus/bus.ts';
import type { Log } from '../lib/log.ts';
import type { Presence } from './presence.ts';

/**
 * Lets nodes look immediately whether one of them is gone, rather than at the next heartbeat. The message is its id, and the
 * database says whether it is gone: whoever announces it removes its row first.
 */
export const nodeGone: TopicKind<string> = { name: 'node gone' };
/** All nodes share one topic. */
export const anyNode = 'any';

/** Nodes that hear of it at the same time look for its work one after another, so that they share it. */
const spreadMilliseconds = 50;

export interface NodeGoneOptions {
  bus: Bus;
  presence: Pick<Presence, 'nodeId' | 'isGone'>;
  /** Looks for work that nodes left behind. */
  takeOver: () => void;
  log: Log;
}

/** Takes over the work of nodes that are announced as gone, until the subscription is ended. */
export function watchForNodesGone({ bus, presence, takeOver, log }: NodeGoneOptions): Subscription {
  return bus.subscribe(nodeGone, anyNode, {
    onMessage(nodeId) {
      if (nodeId === presence.nodeId) return;
      react(nodeId).catch((error: unknown) => {
        log.warn(
          { err: error, node_id: nodeId },
          'The work of a node that is gone waits for the next round.',
        );
      });
    },
    // Nothing to do: the regular rounds find what was missed.
    onLost: () => undefined,
  });

  async function react(nodeId: string): Promise<void> {
    if (!(await presence.isGone(nodeId))) return;
    await sleep(Math.random() * spreadMilliseconds, undefined, { ref: false });
    log.info({ node_id: nodeId }, 'A node is gone: looking for the work that it left.');
    takeOver();
  }
}
