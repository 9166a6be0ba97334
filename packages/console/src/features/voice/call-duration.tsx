import type { Call } from '@svc/contract/calls';
import { useEffect, useReducer } from 'react';
import { serverNow } from '../../format/server-time.ts';
import { clockDuration } from './call-texts.ts';

/** How long a call has taken; it runs while the call does. */
export function CallDuration({
  call,
}: {
  call: Pick<Call, 'answered_at' | 'ended_at' | 'duration_seconds'>;
}) {
  const { answered_at: answeredAt, ended_at: endedAt } = call;
  const isRunning = answeredAt !== null && endedAt === null;
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(redraw, 1_000);
    return () => clearInterval(timer);
  }, [isRunning]);
  if (answeredAt === null) return <span className="text-ink-3">–</span>;
  const seconds = isRunning
    ? Math.max(0, Math.round((serverNow() - Date.parse(answeredAt)) / 1_000))
    : call.duration_seconds;
  return <span className="tabular-nums">{clockDuration(seconds)}</span>;
}
