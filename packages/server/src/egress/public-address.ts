import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
/** In a public range, but internal to a cloud: Azure's wire server. */
const cloudAddresses = ['168.63.129.16'];

/** Parses an address; an IPv4-mapped IPv6 address (`::ffff:127.0.0.1`) becomes the IPv4 address. */
export function parseAddress(text: string): Address | undefined {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : undefined;
}

/**
 * Whether the whole internet can reach it. This is an allow list, so that a range that was not thought of is refused: tunnels that
 * carry an IPv4 address inside (NAT64, 6to4, Teredo, ISATAP), addresses with a zone, and everything outside 2000::/3, such
 * as the old `::7f00:1` form of 127.0.0.1.
 */
export function isPublicAddress(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  if (address.kind() === 'ipv4') return !cloudAddresses.includes(address.toString());
  const wide = address as ipaddr.IPv6;
  return !wide.zoneId && wide.match(globalUnicast) && !isIsatap(wide);
}

function isIsatap(address: ipaddr.IPv6): boolean {
  const [, , , , fifth = 0, sixth] = address.parts;
  return sixth === 0x5efe && (fifth & ~0x0200) === 0;
}
