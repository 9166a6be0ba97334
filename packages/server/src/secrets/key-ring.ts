import { createHash } from 'node:crypto';

export const keyIdBytes = 8;

/** Tells which key something was sealed under, without telling the key. */
export function keyId(key: Buffer): Buffer {
  return createHash('sha256').update('svc key id').update(key).digest().subarray(0, keyIdBytes);
}

/** The installation's encryption keys: what is written goes under the current one, older ones still open. */
export interface KeyRing {
  /** Ask each time: it may change while the service runs. */
  readonly current: Buffer;
  find(id: Buffer): Buffer | undefined;
}

export function createKeyRing(current: Buffer, previous: readonly Buffer[] = []): KeyRing {
  const keys = [current, ...previous];
  return { current, find: (id) => keys.find((key) => keyId(key).equals(id)) };
}
