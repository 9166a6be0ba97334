import { exactTime } from '../../format/time.ts';
import { classes } from '../../kit/classes.ts';
import { useNow } from './use-now.ts';

const hour = 3_600_000;

/** How long a person still has, with the exact end. */
export function TimeLeft({ until }: { until: string }) {
  const end = new Date(until);
  const left = end.getTime() - useNow(end.getTime());
  return (
    <time
      dateTime={until}
      title={`Until ${exactTime(end)}`}
      className={classes('text-sm', left < hour ? 'text-paused-ink' : 'text-ink-3')}
    >
      {timeLeft(left)} left
    </time>
  );
}

function timeLeft(milliseconds: number): string {
  if (milliseconds < 60_000) return 'under a minute';
  if (milliseconds < hour) return `${Math.floor(milliseconds / 60_000)} min`;
  return `${Math.floor(milliseconds / hour)} h`;
}
