/**
 * What somebody is asked to approve, with every character that a terminal would act upon or hide written out: neither may it move
 * the cursor, nor look like something else than what runs. Line breaks and tabs stay.
 */
export function visibleText(text: string): string {
  return text.replaceAll(/[^\P{C}\n\t]|\p{Zl}|\p{Zp}/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
}
