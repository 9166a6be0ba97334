const most = 200_000;

/**
 * Whether every fault of a value can be named without holding up others. Naming one costs as much as its path is long,
 * so a few values under a very long key count like many under a short one.
 */
export function isCheapToExplain(value: unknown): boolean {
  return costOf(value, 0, most) <= most;
}

/** The lengths of the paths to all values, added up; stops soon after the limit is passed. */
function costOf(value: unknown, pathLength: number, limit: number): number {
  let cost = pathLength + 1;
  if (value === null || typeof value !== 'object') return cost;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && cost <= limit; index += 1) {
      cost += costOf(value[index], pathLength + String(index).length + 1, limit - cost);
    }
    return cost;
  }
  for (const key of Object.keys(value)) {
    if (cost > limit) break;
    cost += costOf((value as Record<string, unknown>)[key], pathLength + key.length + 1, limit - cost);
  }
  return cost;
}
