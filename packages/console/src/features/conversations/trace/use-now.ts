import { useEffect, useState } from 'react';
import { serverNow } from '../../../format/server-time.ts';

/** The service's time; while it matters, as it was at most ten seconds ago. */
export function useNow(isRunning: boolean): number {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    if (!isRunning) return undefined;
    setNow(serverNow());
    const timer = setInterval(() => setNow(serverNow()), 10_000);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}
