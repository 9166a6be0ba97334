import { timingSafeEqual } from 'node:crypto';
import { stringify as formatUuid, parse as parseUuid } from 'uuid';
import type { SecretBox } from '../../secrets/secret-box.ts';

const idBytes = 16;
const signatureBytes = 32;

export interface ApprovalLinks {
  /** The page of an approval, for a person without an account. Valid until the approval is answered or expires. */
  urlFor(approvalId: string): string;
  /** The approval that a token names; undefined if the token is not ours. */
  read(token: string): string | undefined;
}

/** Links signed with the installation's key: nothing is stored for them, and nobody else can make one. */
export function createApprovalLinks(box: Pick<SecretBox, 'keyedHash'>, publicUrl: string): ApprovalLinks {
  const sign = (approvalId: string) => box.keyedHash(`approval link ${approvalId}`);
  return {
    urlFor(approvalId) {
      const token = Buffer.concat([Buffer.from(parseUuid(approvalId)), sign(approvalId)]).toString(
        'base64url',
      );
      return `${publicUrl}/a/${token}`;
    },
    read(token) {
      const bytes = Buffer.from(token, 'base64url');
      if (bytes.length !== idBytes + signatureBytes) return undefined;
      const approvalId = formatUuid(bytes.subarray(0, idBytes));
      return timingSafeEqual(bytes.subarray(idBytes), sign(approvalId)) ? approvalId : undefined;
    },
  };
}
