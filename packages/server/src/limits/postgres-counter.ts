import type { Queryable } from '../database/database.ts';
import type { AdmittedGroup, CountStore } from './limits.store.ts';
import { type Counted, type Quota, type RequestCounter, toCounted } from './request-counter.ts';

interface Waiting {
  resolve(counted: Counted): void;
  reject(error: unknown): void;
}

interface Group {
  name: string;
  quotas: readonly Quota[];
  requests: Waiting[];
}

const batchSize = 500;

/**
 * Counts in PostgreSQL, by its clock. One statement runs at a time, and requests that arrive meanwhile share the next one: many
 * that lock the same row would occupy all connections.
 */
export function createPostgresCounter(query: Queryable, store: CountStore): RequestCounter {
  const waiting = new Map<string, Group>();
  let isCounting = false;

  async function countWaiting(): Promise<void> {
    isCounting = true;
    while (waiting.size > 0) {
      const groups = [...waiting.values()].slice(0, batchSize);
      for (const { name } of groups) waiting.delete(name);
      await count(groups.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
    }
    isCounting = false;
  }

  async function count(groups: readonly Group[]): Promise<void> {
    try {
      const sized = groups.map(({ quotas, requests }) => ({ quotas, size: requests.length }));
      const answers = await store.countAcrossWorkspaces(query, sized);
      for (const [index, group] of groups.entries()) settle(group, answers[index]);
    } catch (error) {
      for (const { requests } of groups) for (const { reject } of requests) reject(error);
    }
  }

  return {
    add(quotas) {
      const name = nameOf(quotas);
      const group = waiting.get(name) ?? { name, quotas, requests: [] };
      waiting.set(name, group);
      const counted = new Promise<Counted>((resolve, reject) => {
        group.requests.push({ resolve, reject });
      });
      if (!isCounting) void countWaiting();
      return counted;
    },
    takeBack: (counted) => store.takeBackAcrossWorkspaces(query, counted),
  };
}

/** Groups are counted in the order of their names; the widest quota comes first. */
function nameOf(quotas: readonly Quota[]): string {
  return quotas
    .map(({ name, limit }) => `${name} ${limit}`)
    .toReversed()
    .join(' ');
}

/** The requests that came first are admitted, each with the count as if it had been counted alone. */
function settle({ quotas, requests }: Group, answer: AdmittedGroup | undefined): void {
  if (!answer) throw new Error('PostgreSQL has counted fewer groups than it was given.');
  const { admitted, counts, milliseconds } = answer;
  for (const [index, { resolve }] of requests.entries()) {
    const isAdmitted = index < admitted;
    const later = isAdmitted ? admitted - index - 1 : 0;
    const uses = counts.map((value, place) => ({
      count: value - later,
      millisecondsLeft: milliseconds[place] ?? 0,
    }));
    resolve(toCounted(isAdmitted, quotas, uses));
  }
}
