import { Script } from 'node:vm';
import { codeOf, Refusal } from '../../confine/refusal.ts';

/** Thrown when `withinTime` stopped its action anywhere: what it had open is still open. */
export class TimeExceeded extends Refusal {}

const slot = Symbol.for('svc.machine.bounded-action');
const caller = new Script(`globalThis[Symbol.for('svc.machine.bounded-action')]()`);

/**
 * Runs an action that blocks, and stops it after a while even inside of one regular expression. Only the engine's own
 * watchdog can do that; it takes code as text, so that the action is passed on through a global.
 */
export function withinTime<Result>(milliseconds: number, action: () => Result): Result {
  Object.assign(globalThis, { [slot]: action });
  try {
    return caller.runInThisContext({ timeout: milliseconds }) as Result;
  } catch (error) {
    if (codeOf(error) !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new TimeExceeded(
      `The operation took longer than ${milliseconds / 1000} s. Use a simpler expression, or fewer or smaller files.`,
    );
  }
}
