/** Acted upon, ignored or shown as a blank: controls, marks of direction, joiners, fillers, and every space but the usual. */
const hidden = /[^\P{C}\n\t]|\p{Default_Ignorable_Code_Point}|\p{Zl}|\p{Zp}|(?! )\p{Zs}|\u2800/gu;

/**
 * What somebody is asked to approve, with every character written out that would be acted upon or hidden where it is shown:
 * neither may it move a cursor, nor look like something else than what runs. Line breaks and tabs stay.
 */
export function visibleText(text: string): string {
  return text.replaceAll(hidden, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** The same for JSON that a person may edit: what is written out is still the same JSON. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(hidden, (character) =>
    Array.from(
      { length: character.length },
      (_unit, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}
