import { randomBytes } from 'node:crypto';
import { contactOf, trunkUri, type UserAgent } from './calls/user-agent.ts';

/** Asks the trunk regularly whether it is there: address translations stay open, and the log tells when it was not. */
export function createKeepAlive(agent: UserAgent): () => Promise<void> {
  const callId = randomBytes(16).toString('hex');
  let cseq = 0;
  let wasReachable = true;

  return async () => {
    await agent.peers.refresh();
    const destination = await agent.peers.trunk();
    await agent.refreshAddress(destination);
    const { promise, resolve } = Promise.withResolvers<void>();
    agent.send(
      {
        method: 'OPTIONS',
        uri: trunkUri(agent),
        destination,
        from: `<${trunkUri(agent, agent.username ?? 'svc')}>;tag=${randomBytes(8).toString('hex')}`,
        to: `<${trunkUri(agent)}>`,
        callId,
        nextCSeq: () => {
          cseq += 1;
          return cseq;
        },
        headers: [contactOf(agent)],
        limitMs: agent.timers.check,
      },
      {
        onFinal(response) {
          const isReachable = response !== undefined;
          if (isReachable !== wasReachable) {
            if (isReachable) agent.log.info('The trunk responds again.');
            else agent.log.warn('The trunk does not respond.');
          }
          wasReachable = isReachable;
          if (!isReachable) agent.peers.distrust(destination);
          resolve();
        },
      },
    );
    await promise;
  };
}
