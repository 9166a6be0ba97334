import type { AllowList } from './allow-list.ts';
import { EgressRefused, notReachable } from './egress-error.ts';
import { type Address, isPublicAddress, parseAddress } from './public-address.ts';

/** Names for this machine or this network, whatever they resolve to; single-label names are among them. */
const privateNames = /^[^.:[\]]+$|(^|\.)(localhost|local|internal|intranet|lan|home\.arpa)$/;

export interface Destination {
  /** As the caller named it, without brackets and trailing dots. */
  host: string;
  port: number;
  /** The host itself, when it is an address. */
  literal: Address | undefined;
}

/** Parses a URL the way the connection will; anything but a plain http or https URL is refused. */
export function parseTarget(text: string | URL): URL {
  const url = URL.parse(String(text));
  if (!url) throw new EgressRefused('url', 'That is not a complete URL.');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new EgressRefused('url', 'Only http and https URLs can be requested.');
  }
  if (url.username || url.password)
    throw new EgressRefused('url', 'A URL cannot carry a user name or password.');
  url.hash = '';
  return url;
}

/** The URL parser has already turned every spelling of an address (`0x7f.1`, `2130706433`, `127.1`) into the plain one. */
export function destinationOf(url: URL): Destination {
  return {
    host: url.hostname.replace(/\.+$/, ''),
    port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
    literal: parseAddress(url.hostname),
  };
}

/** Refuses what can be refused by name alone, before any lookup. */
export function checkName(destination: Destination, allow: AllowList): void {
  const { host, port, literal } = destination;
  if (host === '') throw new EgressRefused('url', 'That URL names no host.');
  if (allow.allowsHost(host, port)) return;
  const isFit = literal
    ? allFit(destination, [literal], allow)
    : !privateNames.test(host) || allow.allowsSomeAddress(port);
  if (!isFit) throw new EgressRefused('address', notReachable(host));
}

/** Every address must be allowed: attackers mix one internal address with public ones. */
export function allFit({ host, port }: Destination, addresses: readonly Address[], allow: AllowList) {
  const isPrivateName = privateNames.test(host);
  const fits = (address: Address) =>
    allow.allowsAddress(address, port) || (!isPrivateName && isPublicAddress(address));
  return allow.allowsHost(host, port) || addresses.every(fits);
}
