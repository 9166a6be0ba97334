/** What marks the lines of a quotation. */
export const quotation = /^[ \t]{0,3}(?:>[ \t]?)+/gm;

/** A text without the marks of quotations, as the transcript of a call has it. */
export function withoutQuotation(text: string): string {
  return text.replace(quotation, '');
}
