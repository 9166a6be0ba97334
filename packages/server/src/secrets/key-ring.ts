import { createHash } from 'node:crypto';

export const keyIdBytes = 8;

/** Identifies the key that sealed something without revealing it. */
export function keyId(key: Buffer): Buffer {
  return createHash('sha256').update('svc key id').update(key).digest().subarray(0, keyIdBytes);
}

/** The installation's encryption keys: the current one encrypts, older ones still decrypt. */
export interface KeyRing {
  /** Read it each time: it may change while the service runs. */
  readonly current: Buffer;
  find(id: Buffer): Buffer | undefined;
}

export function createKeyRing(current: Buffer, previous: readonly Buffer[] = []): KeyRing {
  const keys = [current, ...previous];
  return { current, find: (id) => keys.find((key) => keyId(key).equals(id)) };
}
