import { useEffect, useState } from 'react';

const settleMilliseconds = 500;

/** False for a moment after something else is shown: a tap that was meant for what was there before must not count. */
export function useSettled(shown: string): boolean {
  const [settled, setSettled] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setSettled(shown), settleMilliseconds);
    return () => clearTimeout(timer);
  }, [shown]);
  return settled === shown;
}
