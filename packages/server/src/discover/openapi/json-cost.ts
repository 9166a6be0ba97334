const quote = 34;
const comma = 44;
const backslash = 92;
const isOpening = (code: number) => code === 91 || code === 123;
const isClosing = (code: number) => code === 93 || code === 125;

export interface JsonLimits {
  values: number;
  depth: number;
}

/**
 * Why a JSON text is too large, without parsing it: a parser that runs out of memory ends the whole process, not only its
 * thread. Never counts too few values, even if the text is not valid JSON.
 */
export function tooMuchJson(text: string, { values, depth }: JsonLimits): string | undefined {
  let seen = 1;
  let open = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === quote) index = endOfString(text, index);
    else if (code === comma) seen += 1;
    else if (isOpening(code)) {
      seen += 1;
      open += 1;
      if (open > depth) return `is nested more than ${depth} levels deep.`;
    } else if (isClosing(code)) open -= 1;
    if (seen > values) return `holds more than ${values} values.`;
  }
  return undefined;
}

/** The index of the closing quote. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}
