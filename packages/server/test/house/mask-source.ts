/**
 * The same text with comments and the insides of strings, templates and regular expressions turned into spaces. Every
 * offset and line stays the same, so that a simple search finds only code.
 */
export function maskSource(source: string): string {
  const out = source.split('');
  const blank = (from: number, to: number) => {
    for (let index = from; index < to; index++) if (out[index] !== '\n') out[index] = ' ';
  };
  /** Depth of braces inside each open `${`. */
  const templates: number[] = [];
  let at = 0;
  while (at < source.length) {
    const character = source[at];
    const next = source[at + 1];
    if (character === '/' && (next === '/' || next === '*')) {
      const end = next === '/' ? find(source, '\n', at) : find(source, '*/', at + 2) + 2;
      blank(at, end);
      at = end;
    } else if (character === "'" || character === '"') {
      const end = endOfQuoted(source, at, character);
      blank(at + 1, end);
      at = end + 1;
    } else if (character === '/' && startsRegularExpression(out, at)) {
      const end = endOfRegularExpression(source, at);
      blank(at + 1, end);
      at = end + 1;
    } else if (character === '`' || (character === '}' && templates.at(-1) === 0)) {
      if (character === '}') templates.pop();
      const end = endOfTemplatePart(source, at + 1);
      blank(at + 1, end);
      if (source[end] === '$') templates.push(0);
      at = source[end] === '$' ? end + 2 : end + 1;
    } else {
      const depth = templates.at(-1);
      if (depth !== undefined && character === '{') templates[templates.length - 1] = depth + 1;
      if (depth !== undefined && character === '}') templates[templates.length - 1] = depth - 1;
      at++;
    }
  }
  return out.join('');
}

/** The index of the bracket that closes the one at `open`, in masked source. */
export function closingBracket(code: string, open: number): number {
  let depth = 0;
  for (let index = open; index < code.length; index++) {
    const character = code[index] ?? '';
    if ('([{'.includes(character)) depth++;
    if (')]}'.includes(character) && --depth === 0) return index;
  }
  return code.length;
}

export function lineOf(source: string, offset: number): number {
  return source.slice(0, offset).split('\n').length;
}

function find(source: string, text: string, from: number): number {
  const index = source.indexOf(text, from);
  return index === -1 ? source.length : index;
}

/** A quoted string ends with its line at the latest, because an apostrophe in JSX text does not start a string. */
function endOfQuoted(source: string, start: number, quote: string): number {
  let at = start + 1;
  while (at < source.length && source[at] !== quote && source[at] !== '\n') at += source[at] === '\\' ? 2 : 1;
  return Math.min(at, source.length);
}

function endOfTemplatePart(source: string, start: number): number {
  let at = start;
  while (at < source.length && source[at] !== '`' && !(source[at] === '$' && source[at + 1] === '{')) {
    at += source[at] === '\\' ? 2 : 1;
  }
  return Math.min(at, source.length);
}

function endOfRegularExpression(source: string, start: number): number {
  let at = start + 1;
  let inClass = false;
  while (at < source.length && source[at] !== '\n' && (inClass || source[at] !== '/')) {
    if (source[at] === '[') inClass = true;
    if (source[at] === ']') inClass = false;
    at += source[at] === '\\' ? 2 : 1;
  }
  return Math.min(at, source.length);
}

/** A slash is a division after a value, and starts a regular expression after anything else. */
function startsRegularExpression(masked: string[], slash: number): boolean {
  const before = masked
    .slice(Math.max(0, slash - 30), slash)
    .join('')
    .trimEnd();
  if (/\b(return|typeof|case|in|of|do|else|await|yield|void|delete)$/.test(before)) return true;
  return !/[\w$)\]}'"`<]$/.test(before);
}
