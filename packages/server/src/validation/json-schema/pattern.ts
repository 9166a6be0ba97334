/**
 * An untrusted regular expression, as JSON Schema defines it; undefined when it is invalid. It is only compiled here: running
 * it could take longer than the age of the universe.
 */
export function readPattern(pattern: string): RegExp | undefined {
  return construct(pattern, 'u') ?? construct(pattern, '');
}

function construct(pattern: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return undefined;
  }
}

/** All patterns of a schema together. */
export const maxPatternUnits = 16_000;

/** The cost of compiling one: a class of Unicode characters is a long list of ranges. */
export function patternUnits(pattern: string): number {
  return pattern.length + 100 * (pattern.match(/\\p/gi)?.length ?? 0);
}
