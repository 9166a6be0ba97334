/**
 * Text that PostgreSQL takes and people see: no null characters or halves of characters, no invisible ones that hide words
 * from a search or instructions from a reader, one kind of line end and of space, at most one empty line.
 */
export function cleanText(text: string): string {
  return (
    text
      .toWellFormed()
      .normalize('NFC')
      .replaceAll(/\r\n?|[\v\f\x85\u2028\u2029]/g, '\n')
      .replaceAll(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, ' ')
      // oxlint-disable-next-line no-control-regex -- they are what is removed
      .replaceAll(/[\0-\x08\x0e-\x1f\x7f-\x9f\u00ad\u200b\u2060\ufeff\ufffe\uffff]/g, '')
      // Text direction overrides and invisible letters.
      .replaceAll(/[\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu, '')
      .split('\n')
      .map((line) => line.trimEnd())
      .join('\n')
      .replaceAll(/\n{3,}/g, '\n\n')
      .replace(/^\n+/, '')
      .trimEnd()
  );
}

const maxTitleLength = 300;

/** Null when nothing is left. */
export function cleanTitle(title: string | null | undefined): string | null {
  const line = cleanText(title ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  // No half of a surrogate pair at the end.
  return line === '' ? null : line.slice(0, maxTitleLength).replace(/[\ud800-\udbff]$/, '');
}
