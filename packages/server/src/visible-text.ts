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
