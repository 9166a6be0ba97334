import type { Services } from '../../services.ts';
import { changeHook } from './change-hook.ts';
import { cutOffHook, failedHook } from './hook-outcome.ts';
import { type EndedCall, postCallQueue } from './post-call.queue.ts';

const notRun = 'It was not run: the work after this call failed too many times.';

/** Whether a failed attempt was the last. One that ends because the service stops, or because another node has it, is not. */
export function hasGivenUp(isLast: boolean, signal: AbortSignal): boolean {
  const isOverdue = signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError';
  return isLast && (!signal.aborted || isOverdue);
}

/** Ends the hooks that no attempt will run any more, so that none seems to be pending. */
export async function giveUpHooks(
  { workspaceId, callId }: EndedCall,
  dependencies: Pick<Services, 'callRecords' | 'clock' | 'noteChange'>,
): Promise<void> {
  const { callRecords, clock } = dependencies;
  for (const hook of await callRecords.listHooks(workspaceId, callId)) {
    const { status } = hook;
    if (status !== 'pending' && status !== 'started') continue;
    const outcome = status === 'pending' ? failedHook(notRun) : cutOffHook();
    await changeHook(hook, status, { ...outcome, endedAt: clock.now() }, dependencies);
  }
}

/** A job is written together with its hooks; this only keeps calls that have just ended from being looked at. */
const endedSecondsAgo = 60;
const sweepBatch = 100;

/** Periodically: a process that is killed during the last attempt cannot give up its hooks. */
export async function giveUpLeftHooks(
  dependencies: Pick<Services, 'callRecords' | 'clock' | 'database' | 'jobs' | 'log' | 'noteChange'>,
  sinceSeconds = endedSecondsAgo,
): Promise<void> {
  const { callRecords, database, jobs, log } = dependencies;
  for (const call of await callRecords.listWithOpenHooks(sinceSeconds, sweepBatch)) {
    const working = await jobs.listUnfinished(database.acrossWorkspaces, postCallQueue, call);
    if (working.length > 0) continue;
    log.warn(
      { call_id: call.callId },
      'The hooks of a call are given up: no job is left that would run them.',
    );
    await giveUpHooks(call, dependencies);
  }
}
