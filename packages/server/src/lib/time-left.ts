const minute = 60_000;
const hour = 60 * minute;

/** The time until then, rounded down: `23 hours`, `1 minute`, `less than a minute`. */
export function timeLeft(until: Date, now: Date): string {
  const milliseconds = until.getTime() - now.getTime();
  if (milliseconds < minute) return 'less than a minute';
  if (milliseconds < hour) return counted(milliseconds / minute, 'minute');
  return counted(milliseconds / hour, 'hour');
}

function counted(amount: number, unit: string): string {
  const whole = Math.floor(amount);
  return `${whole} ${unit}${whole === 1 ? '' : 's'}`;
}
