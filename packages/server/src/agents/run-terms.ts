import type { BotRow } from '../bots/service.ts';

/** No run lives longer, whatever its agent is set to. */
const longestSeconds = 24 * 60 * 60;
/** What the column holds; nobody gets there. */
const mostIterations = 2_147_483_647;

type Agent = Pick<BotRow, 'maxIterations' | 'timeoutSeconds'>;

/** How long a run may go on, in iterations and in time. */
export function runTerms(
  { maxIterations, timeoutSeconds }: Agent,
  wanted: number | undefined,
  now: Date,
): { maxIterations: number; startedAt: Date; deadlineAt: Date } {
  const isWanted = wanted !== undefined && wanted > 0;
  const seconds = Math.min(timeoutSeconds ?? longestSeconds, longestSeconds);
  return {
    maxIterations: isWanted ? Math.min(wanted, mostIterations) : maxIterations,
    startedAt: now,
    deadlineAt: new Date(now.getTime() + seconds * 1000),
  };
}

/** What the agent reads: its goal, and what came with this run. */
export function runMessage(goal: string, payload: string | null): string {
  return payload === null ? goal : `${goal}\n\nTrigger payload:\n${payload}`;
}
