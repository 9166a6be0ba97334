import ipaddr from 'ipaddr.js';
import type { SystemLookup } from '../../../egress/system-lookup.ts';
import type { HostAndPort } from '../../../voice-config.ts';
import type { Peer } from './message/message.ts';

/** The hosts that we deal with: where the trunk is, and whose packets count. */
export interface Peers {
  /** Where requests to the trunk go. Throws if its name cannot be resolved. */
  trunk(): Promise<Peer>;
  /** The trunk has not answered: another of its addresses is tried next time, if it has one. */
  distrust(peer: Peer): void;
  /** Looks the trunk's name up again. */
  refresh(): Promise<void>;
  isAllowed(address: string): boolean;
  /** The address of a host, if it is one or can be looked up. */
  locate(host: string, port: number | undefined): Promise<Peer | undefined>;
}

export interface PeersOptions {
  trunk: HostAndPort;
  allowedPeers: readonly string[];
  lookUp: SystemLookup;
  /** The kind of addresses that our socket can reach. */
  family: 'ipv4' | 'ipv6';
}

const lookupMs = 5_000;

export function createPeers({ trunk, allowedPeers, lookUp, family }: PeersOptions): Peers {
  const networks = allowedPeers.map(parseNetwork);
  let addresses: string[] = [];
  let failure: unknown;

  async function find(host: string): Promise<string[]> {
    const bare = withoutBrackets(host);
    const found = ipaddr.isValid(bare) ? [bare] : await lookUp(bare, AbortSignal.timeout(lookupMs));
    return found.filter((address) => ipaddr.parse(address).kind() === family);
  }

  async function refresh(): Promise<void> {
    try {
      const found = await find(trunk.host);
      // The order stays, so that a distrusted address does not come back to the front.
      const known = addresses.filter((address) => found.includes(address));
      addresses = [...known, ...found.filter((address) => !known.includes(address))];
      failure = undefined;
    } catch (error) {
      failure = error;
    }
  }

  return {
    refresh,
    async trunk() {
      if (addresses[0] === undefined) await refresh();
      if (addresses[0] !== undefined) return { address: addresses[0], port: trunk.port };
      throw new Error(`The trunk ${trunk.host} has no address that can be reached.`, { cause: failure });
    },
    distrust({ address }) {
      if (addresses[0] === address) addresses.push(...addresses.splice(0, 1));
    },
    isAllowed(address) {
      if (addresses.includes(address)) return true;
      const parsed = ipaddr.isValid(address) ? ipaddr.process(address) : undefined;
      return networks.some(
        ([network, bits]) => parsed?.kind() === network.kind() && parsed.match(network, bits),
      );
    },
    async locate(host, port = 5060) {
      const [address] = await find(host).catch(() => []);
      return address === undefined ? undefined : { address, port };
    },
  };
}

function parseNetwork(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** The peer at this host, if that is an address. */
export function literalPeer(host: string, port = 5060): Peer | undefined {
  const address = withoutBrackets(host);
  return ipaddr.isValid(address) ? { address, port } : undefined;
}

/** IPv6 addresses have brackets in addresses of SIP. */
export function withoutBrackets(host: string): string {
  return host.startsWith('[') ? host.slice(1, -1) : host;
}

export function withBrackets(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}
