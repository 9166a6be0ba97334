import { parentPort } from 'node:worker_threads';
import type { FieldError } from '@svc/contract/errors';
import type { JsonSchema } from '../check.ts';
import { Effort, TooMuchWork } from '../effort.ts';
import { quoted } from '../faults.ts';
import { findFaults } from '../find-faults.ts';
import { readPattern } from '../pattern.ts';

export interface CheckJob {
  schema: JsonSchema;
  value: unknown;
}

export type CheckAnswer = { kind: 'ready' } | { kind: 'checked'; faults: FieldError[] | undefined };

/** Many times the budget of the main thread; the thread's time limit ends what this does not. */
const maxUnits = 400_000;

/** A regular expression that is invalid, or that the engine gives up on. */
class PatternUnusable extends Error {}

/** Undefined when it is too much work. */
function check({ schema, value }: CheckJob): FieldError[] | undefined {
  const patterns = new Map<string, RegExp | undefined>();
  const matches = (pattern: string, text: string) => {
    if (!patterns.has(pattern)) patterns.set(pattern, readPattern(pattern));
    try {
      const found = patterns.get(pattern)?.test(text);
      if (found !== undefined) return found;
    } catch {
      // Some are too large to run, which shows only now.
    }
    throw new PatternUnusable(`its pattern ${quoted(pattern, new Effort(Infinity))} cannot be used`);
  };
  try {
    return findFaults(schema, value, { units: maxUnits, matches });
  } catch (error) {
    if (error instanceof TooMuchWork) return undefined;
    if (error instanceof PatternUnusable)
      return [{ path: '', message: `cannot be checked: ${error.message}` }];
    throw error;
  }
}

function answer(message: CheckAnswer): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows
  parentPort?.postMessage(message);
}

parentPort?.on('message', (job: CheckJob) => answer({ kind: 'checked', faults: check(job) }));
answer({ kind: 'ready' });
