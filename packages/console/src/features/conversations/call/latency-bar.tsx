import type { CallTurn } from '@svc/contract/calls';
import { classes } from '../../../kit/classes.ts';
import { describeLatency, latencyParts, totalOf } from './latency.ts';

interface LatencyBarProps {
  turn: CallTurn;
  /** The slowest answer of the call: bars can be compared. */
  longest: number;
}

/** How long the caller waited for an answer, and for what. */
export function LatencyBar({ turn, longest }: LatencyBarProps) {
  const total = totalOf(turn);
  if (total === undefined) return null;
  const text = `Answered after ${total} ms: ${describeLatency(turn)}`;
  return (
    <div title={text} className="flex w-full max-w-[72ch] items-center gap-3 text-ink-3 text-xs tabular-nums">
      <span className="sr-only">{text}</span>
      <span aria-hidden className="flex h-2 min-w-0 flex-1">
        <span
          className="flex min-w-0 gap-px overflow-hidden rounded-sm"
          style={{ width: `${Math.max(2, (total / Math.max(longest, 1)) * 100)}%` }}
        >
          {latencyParts.map(({ id, fill }) => (
            <span
              key={id}
              className={classes('h-full min-w-0 forced-color-adjust-none', fill)}
              style={{ flex: `${turn[id] ?? 0} 0 0px` }}
            />
          ))}
        </span>
      </span>
      <span aria-hidden className="w-16 shrink-0 text-right">
        {total} ms
      </span>
    </div>
  );
}
