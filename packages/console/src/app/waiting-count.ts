import { useSyncExternalStore } from 'react';

/** How many things wait for a person: shown in the navigation, in titles and on the icon of an installed app. */
let current = 0;
const listeners = new Set<() => void>();

export function setWaitingCount(count: number): void {
  if (count === current) return;
  current = count;
  for (const listener of listeners) listener();
}

export function useWaitingCount(): number {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}
