const firstMilliseconds = 500;
const maxMilliseconds = 15_000;

/** How long to wait before the next attempt: doubles up to a limit, and differs between consoles that lost the same service. */
export function backoff(failures: number, random = Math.random): number {
  const most = Math.min(maxMilliseconds, firstMilliseconds * 2 ** Math.max(0, failures - 1));
  return most / 2 + (random() * most) / 2;
}
