/** When a conversation can come back, by the clock of the person who chooses. */
export function snoozeTimes(now: Date): { label: string; at: Date }[] {
  const inHours = (hours: number) => new Date(now.getTime() + hours * 3_600_000);
  /** At nine in the morning, so many days later. */
  const morning = (days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 9);
  const daysToMonday = (8 - now.getDay()) % 7 || 7;
  return [
    { label: 'In an hour', at: inHours(1) },
    { label: 'In three hours', at: inHours(3) },
    { label: 'Tomorrow', at: morning(1) },
    ...(daysToMonday === 1 ? [] : [{ label: 'On Monday', at: morning(daysToMonday) }]),
  ];
}
