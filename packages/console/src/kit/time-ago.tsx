import { useEffect, useReducer } from 'react';
import { serverNow } from '../format/server-time.ts';
import { exactTime, relativeTime } from '../format/time.ts';

/** A relative time that stays true, with the exact one on hover. */
export function TimeAgo({ at, className }: { at: string | Date; className?: string }) {
  const date = typeof at === 'string' ? new Date(at) : at;
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  // Not the time of the last tick: what happened after it would seem to be in the future.
  const now = serverNow();
  const isRecent = Math.abs(now - date.getTime()) < 3_600_000;
  useEffect(() => {
    const timer = setInterval(redraw, isRecent ? 15_000 : 300_000);
    return () => clearInterval(timer);
  }, [isRecent]);
  return (
    <time dateTime={date.toISOString()} title={exactTime(date)} className={className}>
      {relativeTime(date, now)}
    </time>
  );
}
