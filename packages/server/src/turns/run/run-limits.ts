import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../lib/app-error.ts';
import type { TurnState } from '../state.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import type { TurnLease } from './lease.ts';

/** No step of a run begins after its deadline. */
export function requireTimeLeft({ run }: TurnState, { clock }: Pick<TurnDependencies, 'clock'>): void {
  if (run && run.deadlineAt <= clock.now()) throw new AppError('RUN_TIMED_OUT');
}

/** The built-in model quotes passages: it cannot pursue a goal. */
export function requireModel({ run, bot }: TurnState, { models }: Pick<TurnDependencies, 'models'>): void {
  if (run && !models.ofBot(bot.settings).capabilities.instructions) {
    throw new AppError('NO_MODEL_CONFIGURED', {
      message: 'No model provider is configured, and the built-in model cannot run agents.',
    });
  }
}

/** After a restart of the service, a machine may take half a minute to reconnect. */
const reconnectMilliseconds = 45_000;
const lookEveryMilliseconds = 500;

/**
 * What a run lacks is reported on its conversation, so it fails here, before its model is asked. It waits for a machine that is
 * reconnecting, because a restart of the service must not fail runs.
 */
export async function requireReady(
  lease: TurnLease,
  { run, bot }: TurnState,
  { tools }: Pick<TurnDependencies, 'tools'>,
  signal: AbortSignal,
  patienceMilliseconds = reconnectMilliseconds,
): Promise<void> {
  if (run?.iterations !== 0) return;
  const { workspaceId, channel, options } = lease;
  const giveUpAt = performance.now() + patienceMilliseconds;
  for (;;) {
    try {
      return await tools.requireReady({ workspaceId, bot, channel, options, isRun: true });
    } catch (error) {
      const isOffline = error instanceof AppError && error.code === 'MACHINE_OFFLINE';
      if (!isOffline || performance.now() >= giveUpAt) throw error;
      await sleep(lookEveryMilliseconds, undefined, { signal });
    }
  }
}

export function outOfIterations({ run }: TurnState): AppError {
  return new AppError('MAX_ITERATIONS_REACHED', {
    message: `The agent used all of its ${run?.maxIterations} iterations before its goal was reached.`,
  });
}
