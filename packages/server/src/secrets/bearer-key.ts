import { createHash, randomBytes } from 'node:crypto';

/** Of the tokens that end users' requests carry. */
export const endUserTokenPrefix = 'svc_ut_';

/** The kind of a key, by its prefix. */
export type KeyPrefix = 'svc_sk_' | 'svc_mk_' | 'svc_is_' | 'svc_vs_' | 'svc_';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const randomCharacters = 43;

/** 43 letters and digits hold 256 bits, which cannot be guessed, so storing a plain hash of the key is safe. */
export function makeKey(prefix: KeyPrefix): string {
  let random = '';
  while (random.length < randomCharacters) {
    for (const byte of randomBytes(64)) {
      // Bytes beyond the last multiple of the alphabet's length would make its first letters more likely.
      if (byte < 248) random += alphabet[byte % alphabet.length];
    }
  }
  return prefix + random.slice(0, randomCharacters);
}

export function looksLikeKey(prefix: KeyPrefix, text: string): boolean {
  return text.startsWith(prefix) && /^[A-Za-z0-9_-]{32,200}$/.test(text.slice(prefix.length));
}

export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
