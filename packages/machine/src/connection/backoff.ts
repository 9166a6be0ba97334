const firstDelayMs = 500;
/** A service needs 10 to 20 seconds to restart: its machines should be back a few seconds later. */
const growth = 1.3;
export const maxDelayMs = 10_000;

/** How long to wait before the next attempt; half of it by chance, so that machines do not return all together. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  const full = Math.min(maxDelayMs, firstDelayMs * growth ** Math.min(attempt, 100));
  return Math.round(full * (0.5 + random() / 2));
}
