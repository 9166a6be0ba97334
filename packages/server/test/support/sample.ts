import { createHash } from 'node:crypto';
import { inject } from 'vitest';

/** `SVC_TEST_FULL=1 npm test` tries everything that a normal run only samples. */
export const isFull = process.env['SVC_TEST_FULL'] === '1';

/** One in so many of the entries, chosen by the seed of the run; in a full run, all of them. */
export function sampleOf<Entry>(entries: readonly Entry[], oneIn: number): Entry[] {
  if (isFull) return [...entries];
  const chance = (place: number) =>
    createHash('sha256')
      .update(`${inject('seed')} ${place}`)
      .digest('hex');
  const chosen = entries
    .map((_, place) => place)
    .toSorted((one, other) => (chance(one) < chance(other) ? -1 : 1))
    .slice(0, Math.ceil(entries.length / oneIn));
  return entries.filter((_, place) => chosen.includes(place));
}

/** A fifth of this, unless the run is full: how often something random is tried. */
export const fewer = (full: number) => (isFull ? full : Math.ceil(full / 5));

/** How often fast-check tries a property. It prints its own seed. */
export const runs = (full: number) => ({ numRuns: fewer(full) });
