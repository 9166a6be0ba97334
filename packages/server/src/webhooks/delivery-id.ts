import { createHash } from 'node:crypto';

/**
 * Identifies a delivery: the same for every attempt, after a restart and when it is resent by hand. It is derived from its
 * subject, which is delivered once, so nothing has to be stored.
 */
export function deliveryIdOf(type: string, subjectId: string): string {
  const hex = createHash('sha256').update(`${type} ${subjectId}`).digest('hex');
  // A version 8 UUID, which is the version for custom schemes.
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
