export interface CutLimits {
  /** Characters of one text. */
  perValue: number;
  /** Characters of everything together; other values count as a few. */
  inAll: number;
}

const defaultLimits: CutLimits = { perValue: 20_000, inAll: 200_000 };
const plainValueCharacters = 8;

/** A JSON value of bounded size. What is cut leaves a note that says how much. */
export function cutLargeValues(value: unknown, limits: CutLimits = defaultLimits): unknown {
  let left = limits.inAll;

  function cutText(text: string): string {
    const most = Math.max(0, Math.min(limits.perValue, left));
    left -= Math.min(text.length, most);
    if (text.length <= most) return text;
    // Not between the two halves of a character.
    const kept = text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '');
    return `${kept}… [${text.length - kept.length} more characters cut]`;
  }

  function cut(given: unknown): unknown {
    if (typeof given === 'string') return cutText(given);
    left -= plainValueCharacters;
    if (typeof given !== 'object' || given === null) return given;
    return Array.isArray(given) ? cutArray(given) : cutObject(given);
  }

  function cutArray(entries: unknown[]): unknown[] {
    const kept: unknown[] = [];
    for (const entry of entries) {
      if (left <= 0) return [...kept, `… [${entries.length - kept.length} more entries cut]`];
      kept.push(cut(entry));
    }
    return kept;
  }

  function cutObject(object: object): object {
    const fields = Object.entries(object);
    const kept: [string, unknown][] = [];
    for (const [name, entry] of fields) {
      if (left <= 0)
        return Object.fromEntries([...kept, ['…', `[${fields.length - kept.length} more fields cut]`]]);
      kept.push([cutText(name), cut(entry)]);
    }
    return Object.fromEntries(kept);
  }

  return cut(value);
}
