import type { Clock } from '../../clock.ts';
import { voiceCallStore } from '../../voice-calls/service.ts';
import { type ChangeHookDependencies, changeHook } from './change-hook.ts';
import { cutOffHook, failedHook } from './hook-outcome.ts';
import type { EndedCall } from './queue.ts';

export interface GiveUpDependencies extends ChangeHookDependencies {
  clock: Clock;
}

const notRun = 'It was not run: the work after this call failed too many times.';

/** Whether a failed attempt was the last. One that ends because the service stops, or because another node has it, is not. */
export function hasGivenUp(isLast: boolean, signal: AbortSignal): boolean {
  const isOverdue = signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError';
  return isLast && (!signal.aborted || isOverdue);
}

/** Ends the hooks that no attempt will run any more, so that none looks as if it were still to come. */
export async function giveUpHooks(
  { workspaceId, callId }: EndedCall,
  dependencies: GiveUpDependencies,
): Promise<void> {
  const { database, clock } = dependencies;
  for (const hook of await voiceCallStore.listHooks(database.query, workspaceId, callId)) {
    const { status } = hook;
    if (status !== 'pending' && status !== 'started') continue;
    const outcome = status === 'pending' ? failedHook(notRun) : cutOffHook();
    await changeHook(hook, status, { ...outcome, endedAt: clock.now() }, dependencies);
  }
}
