import { createHash } from 'node:crypto';

/** The beginning of the keys of one person's records. No header contains a line break, so no other caller's key begins like this. */
export function endUserRecordPrefix(externalUserId: string): string {
  return `end user\n${createHash('sha256').update(externalUserId).digest('base64url')}\n`;
}

/** Keeps a person's Idempotency-Keys apart from those of other people and of the integration. */
export function endUserRecordKey(
  { externalUserId, channel }: { externalUserId: string; channel: string },
  key: string,
): string {
  return `${endUserRecordPrefix(externalUserId)}${channel}\n${key}`;
}
