import type { BotRow } from '../bots/bots.service.ts';

/** No run takes longer, whatever its agent's setting. */
const maxSeconds = 24 * 60 * 60;
/** The largest value of the column. */
const iterationsLimit = 2_147_483_647;

type Agent = Pick<BotRow, 'maxIterations' | 'timeoutSeconds'>;

/** The limits of a run, in iterations and in time. */
export function runTerms({ maxIterations, timeoutSeconds }: Agent, wanted: number | undefined, now: Date) {
  const isWanted = wanted !== undefined && wanted > 0;
  const seconds = Math.min(timeoutSeconds ?? maxSeconds, maxSeconds);
  return {
    maxIterations: isWanted ? Math.min(wanted, iterationsLimit) : maxIterations,
    startedAt: now,
    deadlineAt: new Date(now.getTime() + seconds * 1000),
  };
}

/** The message that begins a run: the agent's goal, and the payload of this run. */
export function runMessage(goal: string, payload: string | null): string {
  return payload === null ? goal : `${goal}\n\nTrigger payload:\n${payload}`;
}
