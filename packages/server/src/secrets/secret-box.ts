import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { type KeyRing, keyId, keyIdBytes } from './key-ring.ts';

export interface Wrapped {
  wrappedKey: Buffer;
  sealed: Buffer;
}

export class UnknownKeyError extends Error {
  override readonly name = 'UnknownKeyError';
  override readonly message = 'This was encrypted under a key that is no longer configured.';
}

export type SecretBox = ReturnType<typeof createSecretBox>;

/** AES-256-GCM under keys derived from the installation's encryption keys. */
export function createSecretBox(ring: KeyRing) {
  function sealBytes(plain: Buffer, context: string): Buffer {
    const key = ring.current;
    return Buffer.concat([keyId(key), sealWith(derive(key, 'sealing'), plain, context)]);
  }

  function openBytes(sealed: Buffer, context: string): Buffer {
    const key = ring.find(sealed.subarray(0, keyIdBytes));
    if (!key) throw new UnknownKeyError();
    return openWith(derive(key, 'sealing'), sealed.subarray(keyIdBytes), context);
  }

  return {
    /** Encrypts. `context` names what this is and whose, and must be the same to open it. */
    seal: (plain: string, context: string): Buffer => sealBytes(Buffer.from(plain), context),
    /** Throws when the bytes were changed, or sealed under an unknown key or another context. */
    open: (sealed: Buffer, context: string): string => openBytes(sealed, context).toString('utf8'),
    /** Encrypts with a separate key, which is sealed by the installation's key: cheap to rotate. */
    wrap(plain: string, context: string): Wrapped {
      const key = randomBytes(32);
      return { wrappedKey: sealBytes(key, context), sealed: sealWith(key, Buffer.from(plain), context) };
    },
    unwrap({ wrappedKey, sealed }: Wrapped, context: string): string {
      return openWith(openBytes(wrappedKey, context), sealed, context).toString('utf8');
    },
    /** Reseals a value or a wrapped key under the installation's current key; the same bytes when it already is. */
    reseal(sealed: Buffer, context: string): Buffer {
      if (sealed.subarray(0, keyIdBytes).equals(keyId(ring.current))) return sealed;
      return sealBytes(openBytes(sealed, context), context);
    },
    /**
     * A hash that only this installation can compute, so that it reveals nothing about its input. Not for values that must
     * outlive a change of keys.
     */
    keyedHash: (text: string): Buffer =>
      createHmac('sha256', derive(ring.current, 'hashing')).update(text).digest(),
  };
}

function derive(key: Buffer, purpose: 'sealing' | 'hashing'): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', `svc ${purpose}`, 32));
}

const nonceBytes = 12;
const tagBytes = 16;

/** AES-256-GCM: nonce, tag and ciphertext in one buffer. `context` is authenticated and must be the same to open it. */
export function sealWith(key: Buffer, plain: Buffer, context: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/** Throws when the bytes were changed, or sealed under another key or context. */
export function openWith(key: Buffer, sealed: Buffer, context: string): Buffer {
  const nonce = sealed.subarray(0, nonceBytes);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]);
}
