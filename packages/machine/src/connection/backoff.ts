const firstDelayMs = 500;
export const maxDelayMs = 30_000;

/** How long to wait before the next attempt; half of it by chance, so that machines do not return all together. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  const full = Math.min(maxDelayMs, firstDelayMs * 2 ** Math.min(attempt, 10));
  return Math.round(full * (0.5 + random() / 2));
}
