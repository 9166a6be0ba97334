import type { UsageReportRow } from '@svc/contract/usage';
import { addDays } from '../../format/days.ts';
import type { Series } from '../../kit/chart-math.ts';

export const usageBy = ['bot', 'model', 'channel'] as const;
export type UsageBy = (typeof usageBy)[number];

export interface DayRange {
  from: string;
  to: string;
}

/** Usage of one bot, model or channel. */
export interface UsageGroup {
  /** Null for usage outside of conversations. */
  id: string | null;
  turns: number;
  inputTokens: number;
  outputTokens: number;
  callSeconds: number;
  cost: number;
  /** The models without a known price, which are not in the cost. */
  unpriced: readonly string[];
}

/** The most expensive first. */
export function groupUsage(rows: readonly UsageReportRow[], by: UsageBy): UsageGroup[] {
  const groups = new Map<string | null, UsageGroup>();
  for (const row of rows) {
    const id = row[by] ?? null;
    const group = groups.get(id) ?? nothing(id);
    group.turns += row.turns;
    group.inputTokens += row.input_tokens;
    group.outputTokens += row.output_tokens;
    group.callSeconds += row.call_seconds;
    group.cost += Number(row.cost_usd ?? 0);
    group.unpriced = union(group.unpriced, row.unpriced_models);
    groups.set(id, group);
  }
  return [...groups.values()].toSorted(
    (one, other) => other.cost - one.cost || tokensOf(other) - tokensOf(one),
  );
}

export function tokensOf({ inputTokens, outputTokens }: UsageGroup): number {
  return inputTokens + outputTokens;
}

export function totalUsage(groups: readonly UsageGroup[]): UsageGroup {
  const total = nothing(null);
  for (const group of groups) {
    total.turns += group.turns;
    total.inputTokens += group.inputTokens;
    total.outputTokens += group.outputTokens;
    total.callSeconds += group.callSeconds;
    total.cost += group.cost;
    total.unpriced = union(total.unpriced, group.unpriced);
  }
  return total;
}

/** What each group used on each day. */
export function usageSeries(
  rows: readonly UsageReportRow[],
  {
    by,
    days,
    show,
    nameOf,
  }: {
    by: UsageBy;
    days: readonly string[];
    show: 'cost' | 'tokens';
    nameOf: (id: string | null) => string;
  },
): Series[] {
  const positions = new Map(days.map((day, index) => [day, index]));
  const series = new Map<string | null, number[]>();
  for (const row of rows) {
    const position = positions.get(row.day ?? '');
    if (position === undefined) continue;
    const id = row[by] ?? null;
    const values = series.get(id) ?? days.map(() => 0);
    const value = show === 'cost' ? Number(row.cost_usd ?? 0) : row.input_tokens + row.output_tokens;
    values[position] = (values[position] ?? 0) + value;
    series.set(id, values);
  }
  return [...series].map(([id, values]) => ({ id: id ?? 'none', name: nameOf(id), values }));
}

/** The first and the last day of a month, the last not after today. */
export function monthRange(month: string, today: string): DayRange {
  const from = `${month}-01`;
  const next = new Date(`${from}T00:00:00Z`);
  next.setUTCMonth(next.getUTCMonth() + 1);
  const last = addDays(next.toISOString().slice(0, 10), -1);
  return { from, to: last < today ? last : today };
}

/** A month of a link, unless it is not one or has not begun. */
export function readMonth(text: string | undefined, today: string): string {
  const current = today.slice(0, 7);
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(text ?? '') && (text ?? '') < current ? (text ?? '') : current;
}

const day = /^\d{4}-\d{2}-\d{2}$/;
/** As many as the service reports at once. */
const maxDays = 366;

/** The days of a link, if they are days. */
export function readRange(search: { from?: string; to?: string }): DayRange | undefined {
  const { from = '', to = '' } = search;
  if (!day.test(from) || !day.test(to)) return undefined;
  const days = (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;
  return days >= 1 && days <= maxDays ? { from, to } : undefined;
}

export function moveMonth(month: string, by: number): string {
  const date = new Date(`${month}-01T00:00:00Z`);
  date.setUTCMonth(date.getUTCMonth() + by);
  return date.toISOString().slice(0, 7);
}

function nothing(id: string | null): UsageGroup {
  return { id, turns: 0, inputTokens: 0, outputTokens: 0, callSeconds: 0, cost: 0, unpriced: [] };
}

function union(one: readonly string[], other: readonly string[]): readonly string[] {
  return other.length === 0 ? one : [...new Set([...one, ...other])].toSorted();
}

/** Minutes of calls, as people say them. */
export function minutesText(seconds: number): string {
  return seconds === 0 ? '–' : seconds < 60 ? '< 1' : Math.round(seconds / 60).toLocaleString('en');
}
