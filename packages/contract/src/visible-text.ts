/** Characters that displays act on, ignore or show as blank: controls, direction marks, joiners, fillers, unusual spaces. */
const hidden = /[^\P{C}\n\t]|\p{Default_Ignorable_Code_Point}|\p{Zl}|\p{Zp}|(?! )\p{Zs}|\u2800/gu;

/**
 * Text for approval, with every invisible or control character escaped: it must not move the cursor or look different
 * from what will run. Line breaks and tabs stay.
 */
export function visibleText(text: string): string {
  return text.replaceAll(hidden, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
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

/** The text in parts: what is shown as it is, and the characters that would not be seen, escaped. */
export function visibleParts(text: string): { text: string; isHidden: boolean }[] {
  const parts: { text: string; isHidden: boolean }[] = [];
  let end = 0;
  for (const match of text.matchAll(hidden)) {
    if (match.index > end) parts.push({ text: text.slice(end, match.index), isHidden: false });
    parts.push({ text: visibleText(match[0]), isHidden: true });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), isHidden: false });
  return parts;
}
