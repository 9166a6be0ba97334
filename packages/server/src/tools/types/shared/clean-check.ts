/**
 * Tells whether a JSON value could be kept as it is: none of the forms in it, nothing that cannot be stored, nothing nested too
 * deeply. Looking through its text takes a fraction of the time of looking at each string. It may say no for one that is fine.
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
    // Nested too deeply, or no JSON: who cannot be sure says that it is not clean.
    return undefined;
  }
}

// Compared as numbers: this looks at each of some million characters.
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
