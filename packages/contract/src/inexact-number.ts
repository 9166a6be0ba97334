const texts = /"(?:[^"\\]|\\.)*"/gs;
const numbers = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * The first number of a JSON text that would become another one when it is read, such as 9007199254740993 or 1e400; undefined if
 * there is none. Decimals are rounded as everywhere.
 */
export function findInexactNumber(json: string): string | undefined {
  return json
    .replaceAll(texts, '""')
    .match(numbers)
    ?.find((text) => !isExact(text));
}

function isExact(text: string): boolean {
  const value = Number(text);
  if (!Number.isFinite(value)) return false;
  return !/^-?\d+$/.test(text) || BigInt(value) === BigInt(text);
}
