import { isUuid } from '../../validation/is-uuid.ts';

/** What a person searches for: the id of something, or a text, which unless it is quoted may also name a user or a title. */
export type WantedText = { id: string } | { text: string; isQuoted: boolean };

export function wantedText(q: string): WantedText | undefined {
  const given = q.trim();
  if (given === '') return undefined;
  if (isUuid(given)) return { id: given.toLowerCase() };
  const quoted = /^["“„](.+)["”“]$/.exec(given)?.[1]?.trim();
  return quoted ? { text: quoted, isQuoted: true } : { text: given, isQuoted: false };
}

/** A pattern for ILIKE that finds this text anywhere. */
export function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}
