import { createHash, randomBytes } from 'node:crypto';
import ipaddr from 'ipaddr.js';

/** Others cannot choose addresses that fall into somebody's group. */
const salt = randomBytes(16);

/**
 * A number for the network that an address belongs to: of IPv6, everybody has 2^64 addresses. There are 16,384 numbers, so
 * that whoever has many networks cannot fill the memory.
 */
export function addressGroup(address: string): number {
  const bare = address.replace(/%.*$/, '');
  const parsed = ipaddr.isValid(bare) ? ipaddr.process(bare) : undefined;
  const network = parsed?.kind() === 'ipv6' ? parsed.toByteArray().slice(0, 8).join('.') : parsed?.toString();
  const hash = createHash('sha256')
    .update(salt)
    .update(network ?? address)
    .digest();
  return hash.readUInt16BE(0) >> 2;
}
