import type { Worker } from 'node:cluster';

/** What the cluster module and its workers send each other. */
interface ClusterMessage {
  cmd?: string;
  act?: string;
  /** The number of a message. */
  seq?: number;
  /** The number of the message that is acknowledged. */
  ack?: number;
}

/**
 * Closes the connections that a worker was given but had not accepted when it died. Node's cluster module forgets them, so
 * their clients would wait until they give up. This relies on its messages, and a test fails when they change.
 */
export function closeUnaccepted(worker: Worker): void {
  const child = worker.process;
  const unaccepted = new Set<number>();
  const send = child.send.bind(child) as (...given: unknown[]) => boolean;
  child.send = (...given: unknown[]) => {
    const { cmd, act, seq } = given[0] as ClusterMessage;
    if (cmd === 'NODE_CLUSTER' && act === 'newconn' && seq !== undefined) unaccepted.add(seq);
    return send(...given);
  };
  child.on('internalMessage', ({ cmd, ack }: ClusterMessage) => {
    if (cmd === 'NODE_CLUSTER' && ack !== undefined) unaccepted.delete(ack);
  });
  // The process has ended and nothing more arrives from it.
  child.once('close', () => {
    if (unaccepted.size === 0) return;
    // While a connection is on its way, Node does not report this, and would give further ones to the dead worker.
    child.emit('disconnect');
    for (const ack of unaccepted) child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: true });
  });
}
