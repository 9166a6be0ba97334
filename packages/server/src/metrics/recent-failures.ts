/** Failures of providers are shown for this long. */
const recentMinutes = 10;

export type RecentFailures = ReturnType<typeof createRecentFailures>;

/** How often each provider has failed in the last minutes, in this process. */
export function createRecentFailures(now = () => performance.now()) {
  /** By minute, the oldest first. */
  const minutes = new Map<number, Map<string, number>>();
  const current = () => Math.floor(now() / 60_000);

  function forgetOld(): void {
    for (const minute of minutes.keys()) if (minute <= current() - recentMinutes) minutes.delete(minute);
  }

  return {
    note(provider: string): void {
      forgetOld();
      const counts = minutes.get(current()) ?? new Map<string, number>();
      minutes.set(current(), counts.set(provider, (counts.get(provider) ?? 0) + 1));
    },
    /** By provider; those without failures are left out. */
    count(): Record<string, number> {
      forgetOld();
      const sums: Record<string, number> = {};
      for (const counts of minutes.values())
        for (const [provider, count] of counts) sums[provider] = (sums[provider] ?? 0) + count;
      return sums;
    },
  };
}
