import { useSyncExternalStore } from 'react';

const name = 'svc_letter_keys';
const listeners = new Set<() => void>();

/** People who dictate or press keys by accident can turn off the keys that are a single letter. */
export function areLetterKeysOn(): boolean {
  return localStorage.getItem(name) !== 'off';
}

export function setLetterKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(name);
  else localStorage.setItem(name, 'off');
  for (const listener of listeners) listener();
}

export function useLetterKeys(): boolean {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, areLetterKeysOn);
}
