/** The words of a heading without the marks around them. */
export function plainHeading(text: string): string {
  return text
    .replaceAll(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replaceAll(/(\*{1,3}|`+|__)(?=\S)([^*`]+?)(?<=\S)\1/g, '$2')
    .replaceAll(/\\([#*_`[\]|])/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
