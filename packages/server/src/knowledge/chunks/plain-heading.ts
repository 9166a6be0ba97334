/** Longer texts are not headings, and scanning all of them would take time. */
export const maxHeadingTextLength = 500;

/** The beginning of a heading's text, without markdown marks. */
export function plainHeading(text: string): string {
  return text
    .slice(0, maxHeadingTextLength)
    .replaceAll(/!?\[([^[\]]{0,500})\]\([^()]{0,500}\)/g, '$1')
    .replaceAll(/(\*{1,3}|`{1,3}|__)(?=\S)([^*`]{1,500}?)(?<=\S)\1/g, '$2')
    .replaceAll(/\\([#*_`[\]|])/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
