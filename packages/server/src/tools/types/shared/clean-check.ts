/**
 * Whether a JSON value can be kept unchanged: none of the forms occur in it, it can be stored, and it is not nested too
 * deeply. Scanning its text takes a fraction of the time of visiting every string. It may return false for a value that is
 * fine.
 */
export function createCleanCheck(forms: readonly string[], deepest: number): (value: object) => boolean {
  const needles = forms.map((form) => JSON.stringify(form).slice(1, -1));
  return (value) => {
    const text = jsonOf(value);
    return (
      text !== undefined &&
      // The character U+0000, and half a surrogate pair.
      !/\\u(?:0000|d[89a-f])/.test(text) &&
      !needles.some((needle) => text.includes(needle)) &&
      isFlat(text, deepest)
    );
  };
}

function jsonOf(value: object): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // Nested too deeply, or not JSON: when in doubt it is not clean.
    return undefined;
  }
}

// Compared as numbers, because this visits every one of up to millions of characters.
const [quote, backslash, openList, openObject, closeList, closeObject] = Buffer.from('"\\[{]}');

function isFlat(json: string, deepest: number): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < json.length; index += 1) {
    // oxlint-disable-next-line unicorn/prefer-code-point -- everything that is looked for is ASCII
    const code = json.charCodeAt(index);
    if (inString && code === backslash) index += 1;
    else if (code === quote) inString = !inString;
    else if (inString) continue;
    else if (code === openList || code === openObject) depth += 1;
    else if (code === closeList || code === closeObject) depth -= 1;
    if (depth > deepest) return false;
  }
  return true;
}
