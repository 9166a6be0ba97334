import { useEffect, useState } from 'react';

/** The current time, and again when the given time is reached. */
export function useNow(until: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const left = until - Date.now();
    if (left <= 0) return setNow(Date.now());
    const timer = setTimeout(() => setNow(Date.now()), Math.min(left + 50, 30_000));
    return () => clearTimeout(timer);
  }, [until, now]);
  return now;
}
