import type { AllowList } from './allow-list.ts';
import { EgressRefused, notReachable } from './egress-error.ts';
import { type Address, isPublicAddress, parseAddress } from './public-address.ts';

/** Names that mean this machine or this network, whatever a resolver makes of them: those of one word, too. */
const privateNames = /^[^.:[\]]+$|(^|\.)(localhost|local|internal|intranet|lan|home\.arpa)$/;

export interface Destination {
  /** As the caller named it, without the brackets and dots that only hide what it is. */
  host: string;
  port: number;
  /** The host itself, when it is an address. */
  literal: Address | undefined;
}

/** Reads a URL as the connection will: what is no plain http or https address is refused. */
export function parseTarget(text: string | URL): URL {
  const url = URL.parse(String(text));
  if (!url) throw new EgressRefused('That is not a complete URL.');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new EgressRefused('Only http and https URLs can be requested.');
  }
  if (url.username || url.password) throw new EgressRefused('A URL cannot carry a user name or password.');
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

/** What can be refused by the name alone, before anybody is asked for addresses. */
export function checkName(destination: Destination, allow: AllowList): void {
  const { host, port, literal } = destination;
  if (host === '') throw new EgressRefused('That URL names no host.');
  if (allow.allowsHost(host, port)) return;
  const isFit = literal
    ? allFit(destination, [literal], allow)
    : !privateNames.test(host) || allow.allowsSomeAddress(port);
  if (!isFit) throw new EgressRefused(notReachable(host));
}

/** Every address must be fit: one bad one among good ones is how a name is made to point inside. */
export function allFit(
  { host, port }: Destination,
  addresses: readonly Address[],
  allow: AllowList,
): boolean {
  const isPrivateName = privateNames.test(host);
  const fits = (address: Address) =>
    allow.allowsAddress(address, port) || (!isPrivateName && isPublicAddress(address));
  return allow.allowsHost(host, port) || addresses.every(fits);
}
