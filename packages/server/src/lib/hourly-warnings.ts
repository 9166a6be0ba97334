import { LRUCache } from 'lru-cache';
import type { Log } from './log.ts';

/** Logs a warning unless the same was logged about the same subject within the last hour. */
export type WarnHourly = (subject: string, fields: object, message: string) => void;

/** For what visitors can cause again and again, and the operator has to know once. */
export function createHourlyWarnings(log: Pick<Log, 'warn'>): WarnHourly {
  const warned = new LRUCache<string, true>({ max: 1_000, ttl: 3_600_000 });
  return (subject, fields, message) => {
    if (warned.has(subject)) return;
    warned.set(subject, true);
    log.warn(fields, message);
  };
}
