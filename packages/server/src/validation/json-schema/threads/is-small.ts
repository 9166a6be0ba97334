const maxNodes = 50_000;
const maxCharacters = 2_000_000;
const maxDepth = 250;

/** Whether a JSON value can be posted to a thread directly: it is copied, which blocks everything else. */
export function isSmall(value: unknown): boolean {
  let nodes = 0;
  let characters = 0;
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const inner: unknown[] = [];
    for (const one of level) {
      if (typeof one === 'string') characters += one.length;
      if (typeof one !== 'object' || one === null) continue;
      const entries: unknown[] = Array.isArray(one) ? one : Object.entries(one).flat();
      nodes += entries.length;
      if (nodes > maxNodes) return false;
      inner.push(...entries);
    }
    if (depth > maxDepth || characters > maxCharacters) return false;
    level = inner;
  }
  return true;
}
