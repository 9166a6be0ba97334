const most = 200_000;

/**
 * Whether all faults of a value can be reported without delaying other requests. Reporting one costs as much as its path is
 * long, so a few values under a very long key count like many under a short one.
 */
export function isCheapToExplain(value: unknown): boolean {
  return costOf(value, 0, most) <= most;
}

/** The sum of the lengths of all paths; stops soon after the limit is exceeded. */
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
