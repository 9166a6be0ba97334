import type { CannedReplyPlaceholder } from '@svc/contract/canned-replies';

/** The text as it is sent: with names in place of placeholders. One without a name goes, with the comma and the space before it. */
export function fillCannedReply(
  text: string,
  names: Readonly<Record<CannedReplyPlaceholder, string>>,
): string {
  return text.replaceAll(
    /(,? ?)\{\{\s*(operator|bot|user)\s*\}\}/g,
    (_whole, before: string, name: CannedReplyPlaceholder) => names[name] && before + names[name],
  );
}
