import type { Peer } from '../message/sip-message.ts';

/** A learned source that has been silent for this long may be replaced. */
const silentMs = 2_000;

/**
 * Where the other side's packets come from. Behind an address translation that differs from what it signals, so we send to where
 * its packets come from. An active source is only replaced by the signalled one, so that others cannot listen in by sending packets
 * to our port. Hosts that are not allowed are neither heard nor sent anything, even if they were signalled.
 */
export function createRemoteSource(options: { isAllowed(address: string): boolean; now?: () => number }) {
  const { isAllowed, now = () => performance.now() } = options;
  let signalled: Peer | undefined;
  let learned: Peer | undefined;
  /** Learned before the audio was moved. */
  let left: Peer | undefined;
  let movedAt = 0;
  let heardAt = 0;

  return {
    /** Where to send. */
    get target(): Peer | undefined {
      return learned ?? (signalled && isAllowed(signalled.address) ? signalled : undefined);
    },
    /** The other side signals where it wants to receive. */
    signal(peer: Peer): void {
      if (!isSame(signalled, peer)) {
        left = learned ?? left;
        movedAt = now();
        learned = undefined;
      }
      signalled = peer;
    },
    /** Whether a packet from there counts. */
    accepts(source: Peer): boolean {
      if (!isAllowed(source.address)) return false;
      const isNamed = isSame(signalled, source) || isSame(learned, source);
      // Packets sent before the move still arrive; they must not make us send to the old place.
      if (!isNamed && !learned && isSame(left, source) && now() - movedAt <= silentMs) return true;
      const mayLearn = !learned || now() - heardAt > silentMs;
      if (!isNamed && !mayLearn) return false;
      learned = source;
      heardAt = now();
      return true;
    },
  };
}

function isSame(one: Peer | undefined, other: Peer): boolean {
  return one?.address === other.address && one.port === other.port;
}
