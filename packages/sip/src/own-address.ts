import type { Peer } from './message/sip-message.ts';

export interface OwnAddressOptions {
  /** The one that was configured, if it is an address that others can reach. */
  fixed: string | undefined;
  localAddressTowards(peer: Peer): Promise<string>;
  onChange(): void;
}

/** Where others reach us. Until the trunk is found that may be unknown: no message contains our address until then. */
export function createOwnAddress({ fixed, localAddressTowards, onChange }: OwnAddressOptions) {
  let current = fixed;

  /** Finds it as this peer sees it: machines move to other networks. Rejects if there is no route to the peer. */
  async function refresh(peer: Peer): Promise<void> {
    if (fixed !== undefined) return;
    const found = await localAddressTowards(peer);
    if (found === current) return;
    current = found;
    onChange();
  }

  return {
    /** Throws until it is known. */
    get current(): string {
      if (current === undefined) throw new Error('Our own address was used before it was known.');
      return current;
    },
    /** Finds it if it is not known yet. */
    async find(peer: Peer): Promise<void> {
      if (current === undefined) await refresh(peer);
    },
    refresh,
  };
}
