import { useEffect, useState } from 'react';
import { serverNow } from '../../format/server-time.ts';

/** The service's time, and again when the given time is reached. */
export function useNow(until: number): number {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    const left = until - serverNow();
    if (left <= 0) return setNow(serverNow());
    const timer = setTimeout(() => setNow(serverNow()), Math.min(left + 50, 30_000));
    return () => clearTimeout(timer);
  }, [until, now]);
  return now;
}
