import ipaddr from 'ipaddr.js';
import { type Address, parseAddress } from './public-address.ts';

/** Non-public destinations that the operator allows: SVC_EGRESS_ALLOW. */
export type AllowList = ReturnType<typeof createAllowList>;

interface Entry {
  port: number | undefined;
  host?: string;
  /** Of `*.host`, with the dot. */
  suffix?: string;
  range?: [Address, number];
}

/** Throws an error that names the entry it cannot read, so that a bad allow list is found at the start. */
export function createAllowList(entries: readonly string[]) {
  const read = entries.map(parseEntry);
  const onPort = (port: number) => read.filter((entry) => entry.port === undefined || entry.port === port);
  return {
    /** Listed by name or by `*.`: such a host may resolve to any address. */
    allowsHost: (host: string, port: number): boolean =>
      onPort(port).some(
        (entry) => entry.host === host || (entry.suffix !== undefined && host.endsWith(entry.suffix)),
      ),
    /** Listed by address or range, whatever name resolved to it. */
    allowsAddress: (address: Address, port: number): boolean =>
      onPort(port).some(({ range }) => range?.[0].kind() === address.kind() && address.match(range)),
    /** Whether any address is allowed on this port. */
    allowsSomeAddress: (port: number): boolean => onPort(port).some(({ range }) => range !== undefined),
  };
}

function parseEntry(text: string): Entry {
  const { name, port } = splitPort(text.trim());
  if (port !== undefined && (port < 1 || port > 65_535)) throw unreadable(text);
  if (name.includes('/')) {
    if (!ipaddr.isValidCIDR(name)) throw unreadable(text);
    return { port, range: ipaddr.parseCIDR(name) };
  }
  const address = parseAddress(name);
  if (address) return { port, range: [address, address.kind() === 'ipv4' ? 32 : 128] };
  const wildcard = name.startsWith('*.');
  const host = URL.parse(`http://${wildcard ? name.slice(2) : name}/`)?.hostname;
  if (!host || !/^[\w.-]+$/.test(host)) throw unreadable(text);
  return wildcard ? { port, suffix: `.${host}` } : { port, host };
}

/** `host`, `host:port`, `10.0.0.0/8:443`; an IPv6 address or range needs brackets when a port follows. */
function splitPort(text: string): { name: string; port: number | undefined } {
  const bracketed = /^\[(.+)\](?::(\d{1,5}))?$/.exec(text);
  const plain = /^([^:]+)(?::(\d{1,5}))?$/.exec(text);
  const [, name = text, port] = bracketed ?? plain ?? [];
  return { name, port: port === undefined ? undefined : Number(port) };
}

function unreadable(entry: string): Error {
  return new Error(`'${entry}' is not a host, *.host, address or range, each with an optional :port.`);
}
