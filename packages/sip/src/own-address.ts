import type { Peer } from './message/sip-message.ts';

/** Where others reach us. */
export interface OwnAddress {
  /** Throws until it is known. */
  readonly current: string;
  /** Finds it as this peer sees it: machines move to other networks. Rejects if there is no route to the peer. */
  refresh(peer: Peer): Promise<void>;
  /** The same if it is not known yet. */
  find(peer: Peer): Promise<void>;
}

export interface OwnAddressOptions {
  /** The one that was configured, if it is an address that others can reach. */
  fixed: string | undefined;
  localAddressTowards(peer: Peer): Promise<string>;
  onChange(): void;
}

/** Until the trunk is found our own address may be unknown: no message contains one until then. */
export function createOwnAddress({ fixed, localAddressTowards, onChange }: OwnAddressOptions): OwnAddress {
  let current = fixed;

  async function refresh(peer: Peer): Promise<void> {
    if (fixed !== undefined) return;
    const found = await localAddressTowards(peer);
    if (found === current) return;
    current = found;
    onChange();
  }

  return {
    get current() {
      if (current === undefined) throw new Error('Our own address was used before it was known.');
      return current;
    },
    async find(peer) {
      if (current === undefined) await refresh(peer);
    },
    refresh,
  };
}
