import ipaddr from 'ipaddr.js';
import { parseNameAddress, parseUri } from './message/sip-addresses.ts';
import type { Peer } from './message/sip-message.ts';
import type { SipNetwork, SipSettings } from './sip-options.ts';

export type Peers = ReturnType<typeof createPeers>;

export interface PeersOptions extends Pick<SipSettings, 'trunk' | 'allowedPeers' | 'mediaPeers'> {
  network: Pick<SipNetwork, 'lookUp' | 'lookUpService'>;
  /** The kind of addresses that our socket can reach. */
  family: 'ipv4' | 'ipv6';
  now?: () => number;
}

const lookupMs = 5_000;
const sipPort = 5060;
const tlsPort = 5061;
/** The name of a trunk with many addresses resolves to a few of them at a time: calls continue at those seen earlier. */
const rememberMs = 24 * 3_600_000;
const maxRemembered = 256;

/** The hosts that we communicate with: where the trunk is, and whose packets are accepted. */
export function createPeers(options: PeersOptions) {
  const { trunk, network, family, now = () => performance.now() } = options;
  const isInAllowedPeers = createMatcher(options.allowedPeers);
  const isInMediaPeers = createMatcher(options.mediaPeers);
  /** When the trunk's name last resolved to each address. */
  const remembered = new Map<string, number>();
  let places: Peer[] = [];
  let failure: unknown;

  async function find(host: string): Promise<string[]> {
    const literal = literalPeer(host)?.address;
    const found = literal ? [literal] : await network.lookUp(host, AbortSignal.timeout(lookupMs));
    return found.filter((address) => ipaddr.parse(address).kind() === family);
  }

  /** A name without a port may be that of a service on several hosts (RFC 3263). */
  async function findTrunk(): Promise<Peer[]> {
    const isName = trunk.port === undefined && !literalPeer(trunk.host);
    const hosts = isName
      ? await network.lookUpService(`${trunk.tls ? '_sips._tcp' : '_sip._udp'}.${trunk.host}`)
      : [];
    const found: Peer[] = [];
    for (const { host, port } of hosts) {
      // One of several hosts may be missing.
      const addresses = await find(host).catch(() => []);
      found.push(...addresses.map((address) => ({ address, port })));
    }
    if (found.length > 0) return found;
    const addresses = await find(trunk.host);
    return addresses.map((address) => ({ address, port: trunk.port ?? (trunk.tls ? tlsPort : sipPort) }));
  }

  /** Looks the trunk's name up again. */
  async function refresh(): Promise<void> {
    try {
      const found = await findTrunk();
      // The order stays, so that a distrusted address does not come back to the front.
      const known = places.filter((place) => found.some((one) => isSame(one, place)));
      places = [...known, ...found.filter((one) => !known.some((place) => isSame(one, place)))];
      for (const { address } of found) remember(address);
      failure = undefined;
    } catch (error) {
      failure = error;
    }
  }

  function remember(address: string): void {
    remembered.delete(address);
    remembered.set(address, now());
    const [oldest] = remembered.keys();
    if (remembered.size > maxRemembered && oldest !== undefined) remembered.delete(oldest);
  }

  function isOfTrunk(address: string): boolean {
    const namedAt = remembered.get(address);
    return namedAt !== undefined && now() - namedAt < rememberMs;
  }

  const isTrunk = ({ address, port }: Peer) =>
    isOfTrunk(address) && places.some((place) => place.port === port);

  const isAllowed = (address: string) => isOfTrunk(address) || isInAllowedPeers(address);

  return {
    /** Whether all messages go over one connection to the trunk. */
    hasConnection: trunk.tls !== undefined,
    refresh,
    /** Where requests to the trunk go. Throws if its name cannot be resolved. */
    async trunk(): Promise<Peer> {
      if (places[0] === undefined) await refresh();
      if (places[0] !== undefined) return places[0];
      throw new Error(`The trunk ${trunk.host} has no ${family} address that is known.`, { cause: failure });
    },
    /** The trunk has not answered at this address: the next attempt uses another one, if there is one. */
    distrust(peer: Peer): void {
      if (places[0] && isSame(places[0], peer)) places.push(...places.splice(0, 1));
    },
    isAllowed,
    /** Whether audio may go to and come from this address. */
    isMediaAllowed: (address: string): boolean => isAllowed(address) || isInMediaPeers(address),
    /** Whether this is the trunk itself, which the password is for. */
    isTrunk,
    /** Whether this SIP URI, maybe in angle brackets, means the trunk itself rather than a phone behind it. */
    isTrunkUri(text: string): boolean {
      const uri = parseUri(parseNameAddress(text)?.uri ?? '');
      if (!uri) return false;
      if (uri.host === trunk.host.toLowerCase() && uri.port === trunk.port) return true;
      const peer = literalPeer(uri.host, uri.port ?? (trunk.tls ? tlsPort : sipPort));
      return peer !== undefined && isTrunk(peer);
    },
    /** The address of a host, if it is one or can be looked up. */
    async locate(host: string, port: number | undefined = sipPort): Promise<Peer | undefined> {
      const [address] = await find(host).catch(() => []);
      return address === undefined ? undefined : { address, port };
    },
  };
}

function isSame(one: Peer, other: Peer): boolean {
  return one.address === other.address && one.port === other.port;
}

function createMatcher(list: readonly string[]): (address: string) => boolean {
  const networks = list.map(parseNetwork);
  return (address) => {
    const parsed = ipaddr.isValid(address) ? ipaddr.process(address) : undefined;
    return networks.some(
      ([network, bits]) => parsed?.kind() === network.kind() && parsed.match(network, bits),
    );
  };
}

function parseNetwork(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** The peer at this host, if that is an address; in the notation of sockets. */
export function literalPeer(host: string, port = sipPort): Peer | undefined {
  const address = withoutBrackets(host);
  return ipaddr.isValid(address) ? { address: ipaddr.parse(address).toString(), port } : undefined;
}

/** IPv6 addresses have brackets in SIP URIs. */
export function withoutBrackets(host: string): string {
  return host.startsWith('[') ? host.slice(1, -1) : host;
}

export function withBrackets(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}
