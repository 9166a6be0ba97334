import { createHash } from 'node:crypto';

/**
 * Names what is told to a receiver: the same for every attempt, after a restart and when it is sent once more by hand. Derived
 * from what it is about, which is told once, so that there is nothing to store.
 */
export function deliveryIdOf(type: string, subjectId: string): string {
  const hex = createHash('sha256').update(`${type} ${subjectId}`).digest('hex');
  // A UUID of version 8: made by a rule of our own.
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
