/** Characters that displays act on, ignore or show as blank: controls, direction marks, joiners, fillers, unusual spaces. */
const hidden = /[^\P{C}\n\t]|\p{Default_Ignorable_Code_Point}|\p{Zl}|\p{Zp}|(?! )\p{Zs}|\u2800/gu;

/**
 * Text for approval, with every invisible or control character escaped: it must not move the cursor or look different
 * from what will run. Line breaks and tabs stay.
 */
export function visibleText(text: string): string {
  return text.replaceAll(hidden, escapeOf);
}

function escapeOf(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** The same for JSON that a person may edit: the escaped text is still the same JSON. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(hidden, (character) =>
    Array.from(
      { length: character.length },
      (_unit, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

/** Those that no language and no emoji needs: overrides of the direction, separators without width, controls, halves of characters. */
const deceptive =
  /[^\P{Cc}\n\t]|\p{Cs}|[\u00AD\u115F\u1160\u180E\u200B\u2028-\u202E\u2060-\u206F\u2800\u3164\uFEFF\uFFA0\uFFF9-\uFFFB]/gu;

/**
 * The text in parts: what is shown as it is, and the characters that would not be seen, escaped. Names and texts that nobody
 * approves keep the joiners, marks and spaces that people write: `deceptive` shows only what they do not.
 */
export function visibleParts(
  text: string,
  shown: 'all' | 'deceptive' = 'all',
): { text: string; isHidden: boolean }[] {
  const parts: { text: string; isHidden: boolean }[] = [];
  let end = 0;
  for (const match of text.matchAll(shown === 'all' ? hidden : deceptive)) {
    if (match.index > end) parts.push({ text: text.slice(end, match.index), isHidden: false });
    parts.push({ text: escapeOf(match[0]), isHidden: true });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), isHidden: false });
  return parts;
}

/**
 * A name or a title that a stranger wrote, as one line without anything that would not be seen or would turn text around. What joins
 * the letters of some languages and the parts of emoji stays.
 */
export function plainLine(text: string): string {
  const line = text
    .replaceAll(/\p{White_Space}+/gu, ' ')
    .replaceAll(/(?!\u200C|\u200D|\uFE0F)[\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu, '')
    .replaceAll(/(?<=\p{Script=Latin})(?:\u200C|\u200D|\uFE0F)+/gu, '')
    .replaceAll(/ +/g, ' ')
    .trim();
  // Joiners and marks alone show nothing.
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(line) ? line : '';
}
