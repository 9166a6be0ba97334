import type { TurnLease } from '../run/lease.ts';
import type { TurnState } from '../state.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import { completedEvent } from '../turns.wire.ts';
import type { StepChanges } from '../write/step-changes.ts';
import { writeStep } from '../write/write-step.ts';

/** Ends a run whose goal is reached. */
export async function completeStep(
  lease: TurnLease,
  output: string,
  state: TurnState,
  dependencies: TurnDependencies,
  { usage, trace }: Pick<StepChanges, 'usage' | 'trace'>,
): Promise<TurnState> {
  const { runs, quality, clock } = dependencies;
  const { run, bot, steps, messages } = state;
  const answer = messages.at(-1);
  if (!run) throw new Error('Only a run can be complete.');
  const end = { status: 'completed', finalOutput: output, error: null, endedAt: clock.now() } as const;
  await writeStep(lease, dependencies, {
    step: steps,
    status: 'completed',
    replyIds: [],
    within: (tx) => runs.end(tx, run, end),
    events: [completedEvent(lease.turnId, answer?.id ?? null, state)],
    messages: [],
    usage,
    trace,
    async afterwards(tx) {
      if (answer) await quality.validateLater(tx, lease, { bot, message: answer });
    },
  });
  return { ...state, run: { ...run, ...end }, steps: steps + 1, replyIds: [], ended: true };
}
