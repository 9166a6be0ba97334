import type { Peer } from '../message/message.ts';

/**
 * Where the other side's packets come from. Behind an address translation that is not where it says, so we answer to where its
 * packets come from; but only a host that was signalled or is a peer of ours may be learned, and a source that is active
 * stays: nobody else can listen in by sending packets to our port.
 */
export interface RemoteSource {
  /** The other side says where it wants to receive. */
  signal(peer: Peer): void;
  /** Whether a packet from there counts. */
  accepts(source: Peer): boolean;
  /** Where to send. */
  readonly target: Peer | undefined;
}

export interface RemoteSourceOptions {
  isAllowed(address: string): boolean;
  now?: () => number;
}

/** A learned source that has been silent for so long may be replaced. */
const silentMs = 2_000;

export function createRemoteSource({
  isAllowed,
  now = () => performance.now(),
}: RemoteSourceOptions): RemoteSource {
  let signalled: Peer | undefined;
  let learned: Peer | undefined;
  let heardAt = 0;

  return {
    get target() {
      return learned ?? signalled;
    },
    signal(peer) {
      const isSame = signalled?.address === peer.address && signalled.port === peer.port;
      if (!isSame) learned = undefined;
      signalled = peer;
    },
    accepts(source) {
      const isLearned = learned?.address === source.address && learned.port === source.port;
      const mayLearn = !learned || now() - heardAt > silentMs;
      const isKnown = source.address === signalled?.address || isAllowed(source.address);
      if (!isLearned && !(mayLearn && isKnown)) return false;
      learned = source;
      heardAt = now();
      return true;
    },
  };
}
