import { getConstructionPlans, getRollbackPlans } from 'pg-boss';
import { jobsSchema } from './boss.ts';

/**
 * The statements that create pg-boss's tables as an earlier version of it had them, for a transaction of the caller's. Undefined if the
 * version is newer than ours.
 */
export function jobTablesOf(version: number): string[] | undefined {
  const creation = getConstructionPlans(jobsSchema);
  const newest = Number(/INSERT INTO \S+\.version\(version\) VALUES \('(\d+)'\)/.exec(creation)?.[1]);
  if (!(version <= newest)) return undefined;
  const steps = Array.from({ length: newest - version }, (_, index) =>
    getRollbackPlans(jobsSchema, newest - index),
  );
  return [creation, ...steps].map(withoutTransaction);
}

function withoutTransaction(plan: string): string {
  const [, statements] = /^\s*BEGIN;(.*)COMMIT;\s*$/s.exec(plan) ?? [];
  if (statements === undefined) throw new Error('pg-boss creates its tables in another way than before.');
  return statements;
}
