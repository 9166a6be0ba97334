import { AppError } from '../../app-error.ts';
import type { TurnDependencies } from '../dependencies.ts';
import type { TurnState } from '../state.ts';
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

/**
 * A scheduled run begins without a request that could be refused, so it fails here, before its model is asked. A run that another
 * node left is not checked: its machine may still be reconnecting, and a deploy must not fail the run.
 */
export async function requireReady(
  lease: TurnLease,
  { run, bot }: TurnState,
  { tools }: Pick<TurnDependencies, 'tools'>,
): Promise<void> {
  if (run?.iterations !== 0 || lease.fence > 1) return;
  const { workspaceId, channel, options } = lease;
  await tools.requireReady({ workspaceId, bot, channel, options, isRun: true });
}

export function outOfIterations({ run }: TurnState): AppError {
  return new AppError('MAX_ITERATIONS_REACHED', {
    message: `The agent used all of its ${run?.maxIterations} iterations before its goal was reached.`,
  });
}
