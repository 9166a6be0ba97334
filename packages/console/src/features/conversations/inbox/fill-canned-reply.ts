import type { CannedReplyPlaceholder } from '@svc/contract/canned-replies';

/** The text as it is sent: with names in place of `{{operator}}` and `{{bot}}`. */
export function fillCannedReply(
  text: string,
  names: Readonly<Record<CannedReplyPlaceholder, string>>,
): string {
  return text.replaceAll(
    /\{\{\s*(operator|bot)\s*\}\}/g,
    (_whole, name: CannedReplyPlaceholder) => names[name],
  );
}
