export type Watchers = ReturnType<typeof createWatchers>;

/** Callbacks by what they wait for, such as the id of a key. */
export function createWatchers() {
  const watchers = new Map<string, Set<() => void>>();

  function notify(name: string): void {
    for (const callback of watchers.get(name) ?? []) callback();
  }

  return {
    /** Calls back at every notification, until the returned function is called. */
    watch(name: string, callback: () => void): () => void {
      const callbacks = watchers.get(name) ?? new Set();
      watchers.set(name, callbacks.add(callback));
      return () => {
        callbacks.delete(callback);
        if (callbacks.size === 0 && watchers.get(name) === callbacks) watchers.delete(name);
      };
    },
    notify,
    notifyAll(): void {
      for (const name of watchers.keys()) notify(name);
    },
    names: (): string[] => [...watchers.keys()],
  };
}
