/** Calls back when the sessions or roles of a person may have changed. */
export interface MemberWatch {
  /** Until the returned function is called. */
  onChanged(userId: string, callback: () => void): () => void;
  /** A notification has arrived. */
  hear(userId: string): void;
  /** After a reconnect, every person may have changed. */
  setListening(isListening: boolean): void;
}

export function createMemberWatch(): MemberWatch {
  const watchers = new Map<string, Set<() => void>>();
  const hear = (userId: string) => {
    for (const callback of watchers.get(userId) ?? []) callback();
  };
  return {
    hear,
    onChanged(userId, callback) {
      const callbacks = watchers.get(userId) ?? new Set();
      watchers.set(userId, callbacks.add(callback));
      return () => {
        callbacks.delete(callback);
        if (callbacks.size === 0 && watchers.get(userId) === callbacks) watchers.delete(userId);
      };
    },
    setListening(isListening) {
      if (isListening) for (const userId of watchers.keys()) hear(userId);
    },
  };
}
