import ipaddr from 'ipaddr.js';

/**
 * A number for the network of an address, since every IPv6 customer has 2^64 addresses. There are only 16,384 numbers, so
 * that callers with many networks cannot fill the memory. The hash is secret, so that no caller can choose an address in
 * another caller's group, and the same on all nodes.
 */
export function addressGroup(address: string, keyedHash: (text: string) => Buffer): number {
  // Some proxies add the port of the connection, which callers can change at will.
  const bare = address
    .replace(/^\[(.*)\](?::\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1')
    .replace(/%.*$/, '');
  const parsed = ipaddr.isValid(bare) ? ipaddr.process(bare) : undefined;
  const network = parsed?.kind() === 'ipv6' ? parsed.toByteArray().slice(0, 8).join('.') : parsed?.toString();
  return keyedHash(`address group ${network ?? address}`).readUInt16BE(0) >> 2;
}
