import { useSyncExternalStore } from 'react';

/** A hook for a value that is kept outside of React, and a function that draws its users again. */
export function createShared<Value>(read: () => Value): [useValue: () => Value, redraw: () => void] {
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return [
    () => useSyncExternalStore(subscribe, read),
    () => {
      for (const listener of listeners) listener();
    },
  ];
}
