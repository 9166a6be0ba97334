import { invalid } from '../../lib/app-error.ts';
import type { HistoryPlace } from '../../runs/runs.service.ts';

/** The cursor of a page: the time of its last entry and what orders entries of the same time. */
export function toCursor({ at, key }: HistoryPlace): string {
  return `${at.toISOString()}~${key}`;
}

export function readCursor(text: string): HistoryPlace {
  const [time = '', key = '', ...rest] = text.split('~');
  const at = new Date(time);
  // Years that PostgreSQL writes differently are in no cursor.
  const isTime = /^[12]\d{3}-/.test(time) && !Number.isNaN(at.getTime());
  if (!isTime || key === '' || rest.length > 0) {
    throw invalid('before', 'is not a cursor of this list');
  }
  return { at, key };
}

/** Newest first. */
export function comparePlaces(one: HistoryPlace, other: HistoryPlace): number {
  const between = other.at.getTime() - one.at.getTime();
  if (between !== 0) return between;
  return one.key < other.key ? 1 : -1;
}
