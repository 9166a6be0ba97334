/** Removes comments and needless spaces from the style sheets in a module's template literals. */
export function minifyStyles(code: string): string {
  return code.replace(/`[^`]*`/g, (sheet) =>
    sheet
      .replace(/\/\*.*?\*\//gs, '')
      .replace(/\s+/g, ' ')
      .replace(/ ?([{};,]) ?/g, '$1')
      .replace(/: /g, ':')
      .replaceAll(';}', '}')
      // Between selectors; sums need their spaces.
      .replace(/ ([>+]) (?=[^;}]*\{)/g, '$1')
      .replace('` ', '`'),
  );
}
