import { createHash, randomBytes } from 'node:crypto';
import ipaddr from 'ipaddr.js';

/** Prevents callers from choosing addresses that fall into another caller's group. */
const salt = randomBytes(16);

/**
 * A number for the network of an address, since every IPv6 customer has 2^64 addresses. There are only 16,384 numbers, so
 * that callers with many networks cannot fill the memory.
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
