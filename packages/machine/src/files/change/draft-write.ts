import type { WriteFile } from '@svc/contract/machine-protocol';
import { Refusal } from '../../confine/refusal.ts';
import type { Draft } from './draft.ts';

export function draftWrite(draft: Draft, { path, content }: WriteFile): void {
  requireWritable(content);
  draft.open(path).text = content;
}

/** Only what reads back as the same text may be written. */
export function requireWritable(content: string): void {
  if (content.includes('\0'))
    throw new Refusal('The content contains a NUL character; only text can be written.');
  if (!content.isWellFormed())
    throw new Refusal('The content contains half of a surrogate pair, which is not valid text.');
}
