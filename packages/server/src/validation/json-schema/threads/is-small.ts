const mostNodes = 50_000;
const mostCharacters = 2_000_000;
const deepest = 250;

/** Whether a JSON value can be handed to a thread at once: it is copied, and while it is, nothing else runs. */
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
      if (nodes > mostNodes) return false;
      inner.push(...entries);
    }
    if (depth > deepest || characters > mostCharacters) return false;
    level = inner;
  }
  return true;
}
