import { hashKey, type Query, type QueryClient, type QueryKey } from '@tanstack/react-query';

const pauseMilliseconds = 1_000;

/** Reads again what is shown under a key: at once, and then at most once per pause, however many changes arrive. */
export function createRefreshQueue(client: QueryClient) {
  const due = new Map<string, QueryKey>();
  const awaited = new Set<Query>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function flush(): void {
    timer = undefined;
    if (due.size === 0) return;
    const keys = [...due.values()];
    due.clear();
    for (const queryKey of keys) {
      const underWay = client.getQueryCache().findAll({ queryKey, fetchStatus: 'fetching' });
      void client.invalidateQueries({ queryKey }, { cancelRefetch: false });
      for (const query of underWay) void readAfter(query);
    }
    timer = setTimeout(flush, pauseMilliseconds);
  }

  /**
   * An answer that is on its way may be older than the change, so it is read once more after it. It is not given up: while
   * much changes, nothing would ever be shown.
   */
  async function readAfter(query: Query): Promise<void> {
    if (awaited.has(query)) return;
    awaited.add(query);
    // Failures are shown where the answer is.
    await query.promise?.catch(() => undefined);
    if (awaited.delete(query)) add([query.queryKey]);
  }

  function add(keys: readonly QueryKey[]): void {
    for (const key of keys) due.set(hashKey(key), key);
    if (timer === undefined) flush();
  }

  return {
    add,
    stop(): void {
      clearTimeout(timer);
      due.clear();
      awaited.clear();
    },
  };
}
