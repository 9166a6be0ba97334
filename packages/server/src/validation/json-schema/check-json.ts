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

/** One set of threads for the whole process: to callers, checking is a pure function. */
let threads: CheckThreads | undefined;

/**
 * What is wrong with a value according to an untrusted JSON Schema. It never blocks other work: most checks run at once
 * within a small budget; larger ones, and those with regular expressions, run in a thread with a time limit, which
 * workspaces share fairly. Callers that pass a signal wait until it aborts; others are refused with RATE_LIMITED when too
 * many checks of their workspace are waiting.
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

/** A later check starts new threads. */
export async function stopJsonChecks(): Promise<void> {
  const stopped = threads;
  threads = undefined;
  await stopped?.stop();
}
