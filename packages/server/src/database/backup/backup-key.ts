import { createHmac, hkdfSync } from 'node:crypto';
import { openWith, sealWith } from '../../secrets/secret-box.ts';

export type BackupKey = ReturnType<typeof createBackupKey>;

/** What the operator's key for backups does. Names, encryption and boundaries have keys of their own, derived from it. */
export function createBackupKey(key: Buffer) {
  const derive = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', key, '', `svc backup ${purpose}`, bytes));
  const naming = derive('names', 32);
  const sealing = derive('sealing', 32);
  const random = derive('boundaries', 256 * 4);
  return {
    /** A hash that only the owner of the key can compute, so that a name reveals nothing about the content. */
    nameOf: (content: Buffer): string => createHmac('sha256', naming).update(content).digest('hex'),
    /** `context` says what this is, and must be the same to open it. */
    seal: (content: Buffer, context: string): Buffer => sealWith(sealing, content, context),
    /** Throws when the bytes were changed, or sealed under another key or context. */
    open: (sealed: Buffer, context: string): Buffer => openWith(sealing, sealed, context),
    /** Decides where chunks end. Secret, because sizes of chunks at known boundaries would identify known content. */
    boundaries: Int32Array.from({ length: 256 }, (_, index) => random.readInt32LE(index * 4)),
  };
}
