/** A month as addresses have it: `2026-11`. */
export function monthOf(date: Date): string {
  return `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}`;
}

export function isMonth(text: string | undefined): text is string {
  return text !== undefined && /^20\d\d-(0[1-9]|1[0-2])$/.test(text);
}

export function addMonths(month: string, count: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return monthOf(new Date(year, number - 1 + count, 1));
}

/** `2026-11-16`, by the clock of the reader. */
export function dateOf(date: Date): string {
  return `${monthOf(date)}-${String(date.getDate()).padStart(2, '0')}`;
}

/** `November 2026`. */
export function monthName(month: string): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric' }).format(
    new Date(year, number - 1, 1),
  );
}

/** `Monday, 16 November`. */
export function dayName(date: string): string {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  return new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' }).format(
    new Date(year, month - 1, day),
  );
}

export const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** The days of a month in weeks from Monday to Sunday; undefined outside of the month. */
export function weeksOf<Day extends { date: string }>(days: readonly Day[]): (Day | undefined)[][] {
  const [first] = days;
  if (!first) return [];
  const [year = 0, month = 1] = first.date.split('-').map(Number);
  const before = (new Date(year, month - 1, 1).getDay() + 6) % 7;
  const cells: (Day | undefined)[] = [...Array.from({ length: before }, () => undefined), ...days];
  while (cells.length % 7 !== 0) cells.push(undefined);
  return Array.from({ length: cells.length / 7 }, (_, week) => cells.slice(week * 7, week * 7 + 7));
}

/** How far an arrow key moves, in days. */
export const dayMoves: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };
