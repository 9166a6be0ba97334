/** Whether a path may be fetched. */
export type RobotsRules = (pathAndQuery: string) => boolean;

interface Rule {
  allows: boolean;
  pattern: string;
}

const maxRules = 5_000;

export const everythingAllowed: RobotsRules = () => true;

/** The rules for one product, by RFC 9309: those of its own group, else of `*`; the longest matching rule wins. */
export function parseRobots(text: string, product: string): RobotsRules {
  const rules = readRules(text, product.toLowerCase());
  return (pathAndQuery) => {
    const path = normalise(pathAndQuery);
    const fitting = rules.filter(({ pattern }) => matches(pattern, path));
    const longest = Math.max(...fitting.map(({ pattern }) => pattern.length));
    const strongest = fitting.filter(({ pattern }) => pattern.length === longest);
    return strongest.length === 0 || strongest.some(({ allows }) => allows);
  };
}

/** Groups of the same product are merged. Other products are skipped, because a file can name a million of them. */
function readRules(text: string, product: string): Rule[] {
  const groups = new Map<string, Rule[]>();
  const named = new Set<string>();
  let hasRules = false;
  for (const line of text.split(/\r\n?|\n/)) {
    const [, field = '', value = ''] = /^\s*([\w-]+)\s*:\s*([^#]*)/.exec(line) ?? [];
    const word = value.trim();
    const kind = field.toLowerCase();
    if (kind === 'user-agent') {
      if (hasRules) named.clear();
      hasRules = false;
      const name = word.split('/')[0]?.toLowerCase() ?? '';
      if (name !== product && name !== '*') continue;
      named.add(name);
      if (!groups.has(name)) groups.set(name, []);
    } else if (kind === 'allow' || kind === 'disallow') {
      hasRules = true;
      // An empty rule has no effect.
      if (word === '') continue;
      const rule = { allows: kind === 'allow', pattern: normalise(word) };
      for (const name of named) addRule(groups.get(name), rule);
    }
  }
  return groups.get(product) ?? groups.get('*') ?? [];
}

function addRule(rules: Rule[] | undefined, rule: Rule): void {
  if (rules && rules.length < maxRules) rules.push(rule);
}

/** `*` matches anything, `$` at the end matches the end. Each piece is searched once, so no pattern takes long. */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$');
  const [first = '', ...pieces] = (isWhole ? pattern.slice(0, -1) : pattern).split('*');
  if (!path.startsWith(first)) return false;
  if (pieces.length === 0) return !isWhole || path === first;
  const last = isWhole ? pieces.pop() : undefined;
  let position = first.length;
  for (const piece of pieces) {
    const found = path.indexOf(piece, position);
    if (found === -1) return false;
    position = found + piece.length;
  }
  return last === undefined || (path.length - last.length >= position && path.endsWith(last));
}

/** The same path can be percent-encoded in several ways, or not at all: rules may be written in any script. */
function normalise(path: string): string {
  return path
    .toWellFormed()
    .replaceAll(/[^!-~]+|["<>`{}]/g, encodeURIComponent)
    .replaceAll(/%[0-9a-f]{2}/gi, (code) => {
      const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
      return /[\w.~-]/.test(character) ? character : code.toUpperCase();
    });
}
