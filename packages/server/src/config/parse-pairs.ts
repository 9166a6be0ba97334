/** Parses `name=value,name=value` with percent-encoded values; undefined when the text has another form. */
export function parsePairs(text: string): Record<string, string> | undefined {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');
  const parsed = pairs.map((pair) => /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*?)\s*$/.exec(pair));
  try {
    return Object.fromEntries(
      parsed.map((match) => {
        const [, name, value] = match ?? [];
        if (!name || value === undefined) throw new URIError('no pair');
        return [name, decodeURIComponent(value)];
      }),
    );
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
