/** What is longer is no heading; nobody should have to wait for all of it to be looked through. */
export const maxHeadingTextLength = 500;

/** The words of a heading, of which the first ones are enough, without the marks around them. */
export function plainHeading(text: string): string {
  return text
    .slice(0, maxHeadingTextLength)
    .replaceAll(/!?\[([^[\]]{0,500})\]\([^()]{0,500}\)/g, '$1')
    .replaceAll(/(\*{1,3}|`{1,3}|__)(?=\S)([^*`]{1,500}?)(?<=\S)\1/g, '$2')
    .replaceAll(/\\([#*_`[\]|])/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
