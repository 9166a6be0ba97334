import type { FieldError } from '@svc/contract/errors';
import type { JsonSchema } from './check.ts';
import { TooMuchWork } from './effort.ts';
import { findFaults } from './find-faults.ts';
import { checkWorker } from './threads/check-thread.ts';
import { type CheckThreads, createCheckThreads } from './threads/check-threads.ts';

export type { JsonSchema } from './check.ts';

/** A few milliseconds at the very most. */
const unitsHere = 20_000;

class NeedsThread extends Error {}

const here = {
  units: unitsHere,
  matches: () => {
    throw new NeedsThread();
  },
};

/** The threads are a part of how a pure function works, like the thread pool below it: one set for the whole process. */
let threads: CheckThreads | undefined;

/**
 * What is wrong with a value by a JSON Schema that somebody else wrote. Never holds up anything else: most checks are done
 * at once within a small budget; those with regular expressions, and larger ones, are done in a thread with a time limit,
 * in which workspaces take turns. Whoever gives a signal waits for that until the signal ends it; others are refused with
 * RATE_LIMITED when too many of their workspace wait already.
 */
export async function checkJson(
  schema: JsonSchema,
  value: unknown,
  workspaceId: string,
  signal?: AbortSignal,
): Promise<FieldError[]> {
  try {
    return findFaults(schema, value, here);
  } catch (error) {
    if (!(error instanceof NeedsThread) && !(error instanceof TooMuchWork)) throw error;
  }
  threads ??= createCheckThreads(checkWorker);
  return threads.check(workspaceId, { schema, value }, signal);
}

/** Whoever checks something afterwards starts new threads. */
export async function stopJsonChecks(): Promise<void> {
  const stopped = threads;
  threads = undefined;
  await stopped?.stop();
}
