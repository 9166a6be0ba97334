import type { TurnDependencies } from '../dependencies.ts';
import type { TurnLease } from '../lease.ts';
import { completedEvent } from '../reply-step.ts';
import type { TurnState } from '../state.ts';
import type { StepWrite } from '../step-write.ts';
import { writeStep } from '../write-step.ts';

/** Ends a run whose goal is reached. */
export async function completeStep(
  lease: TurnLease,
  output: string,
  state: TurnState,
  dependencies: TurnDependencies,
  { usage, trace }: Pick<StepWrite, 'usage' | 'trace'>,
): Promise<TurnState> {
  const { runs, clock } = dependencies;
  const { run, steps, messages } = state;
  if (!run) throw new Error('Only a run can be complete.');
  const end = { status: 'completed', finalOutput: output, error: null, endedAt: clock.now() } as const;
  await writeStep(lease, dependencies, {
    step: steps,
    status: 'completed',
    replyIds: [],
    within: (tx) => runs.end(tx, run, end),
    events: [completedEvent(lease.turnId, messages.at(-1)?.id ?? '', state)],
    messages: [],
    usage,
    trace,
  });
  return { ...state, run: { ...run, ...end }, steps: steps + 1, replyIds: [], ended: true };
}
