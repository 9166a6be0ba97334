import { timingSafeEqual } from 'node:crypto';
import type { BotSettings } from '@svc/contract/bots';
import { stringify as formatUuid, parse as parseUuid } from 'uuid';
import type { SecretBox } from '../../secrets/secret-box.ts';

type Notice = NonNullable<BotSettings['approval_notice']>;

const idBytes = 16;
const signatureBytes = 32;
/** So that a token fits into a part of a path. */
const maxAddressBytes = 240;

/** What a token of ours says. */
export interface ReadLink {
  approvalId: string;
  /** The address that the link was sent to; null in links of an earlier release. */
  sentTo: string | null;
}

export type ApprovalLinks = ReturnType<typeof createApprovalLinks>;

/**
 * Links signed with the installation's key: nothing is stored for them, and nobody else can make one. They are the same whenever a
 * notice is sent again.
 */
export function createApprovalLinks(box: Pick<SecretBox, 'keyedHash'>, publicUrl: string) {
  const sign = (approvalId: string, address: string) =>
    box.keyedHash(`approval link ${approvalId}${address && ` ${address}`}`);
  return {
    /**
     * The page of an approval, for a person without an account. Valid until the approval is answered or expires, while notices of its
     * bot go to this address.
     */
    urlFor(approvalId: string, sentTo: string): string {
      const address = shorten(sentTo);
      const parts = [Buffer.from(parseUuid(approvalId)), sign(approvalId, address), Buffer.from(address)];
      return `${publicUrl}/a/${Buffer.concat(parts).toString('base64url')}`;
    },
    /** Undefined if the token is not ours. */
    read(token: string): ReadLink | undefined {
      const bytes = Buffer.from(token, 'base64url');
      const addressStart = idBytes + signatureBytes;
      if (bytes.length < addressStart) return undefined;
      const approvalId = readId(bytes.subarray(0, idBytes));
      if (approvalId === undefined) return undefined;
      const address = bytes.subarray(addressStart).toString('utf8');
      const isOurs = timingSafeEqual(bytes.subarray(idBytes, addressStart), sign(approvalId, address));
      return isOurs ? { approvalId, sentTo: address || null } : undefined;
    },
  };
}

/** Whether a link was sent to this notice's addresses. Links of an earlier release do not say, and are valid for a day. */
export function isRecipient({ email, webhook_url: url }: Notice, sentTo: string | null): boolean {
  const addresses = [email, url && new URL(url).origin];
  return sentTo === null || addresses.some((address) => address && shorten(address) === sentTo);
}

function shorten(address: string): string {
  return Buffer.from(address).subarray(0, maxAddressBytes).toString('utf8');
}

function readId(bytes: Buffer): string | undefined {
  try {
    return formatUuid(bytes);
  } catch {
    // Not every 16 bytes are an id.
    return undefined;
  }
}
