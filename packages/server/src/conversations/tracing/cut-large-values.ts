export interface CutLimits {
  /** Characters of one string. */
  perValue: number;
  /** Characters of everything together; any other value counts as a few. */
  total: number;
}

const defaultLimits: CutLimits = { perValue: 20_000, total: 200_000 };
const plainValueCharacters = 8;

/** Bounds the size of a JSON value. Each cut leaves a note that says how much is missing. */
export function cutLargeValues(value: unknown, limits: CutLimits = defaultLimits): unknown {
  let left = limits.total;

  function cutText(text: string): string {
    const maxLength = Math.max(0, Math.min(limits.perValue, left));
    left -= Math.min(text.length, maxLength);
    if (text.length <= maxLength) return text;
    // Never between the halves of a surrogate pair.
    const kept = text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '');
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
