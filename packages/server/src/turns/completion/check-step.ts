import type { TurnDependencies } from '../dependencies.ts';
import type { TurnLease } from '../lease.ts';
import { completedEvent } from '../reply-step.ts';
import type { TurnState } from '../state.ts';
import { writeStep } from '../write-step.ts';

/** Accepts what the agent says. */
export async function completionCheckStep(
  lease: TurnLease,
  state: TurnState,
  dependencies: TurnDependencies,
): Promise<TurnState> {
  const { run } = state;
  const last = state.messages.at(-1);
  if (!run || !last) throw new Error('Only a run that said something can be complete.');
  await writeStep(lease, dependencies, {
    step: state.steps,
    status: 'completed',
    replyIds: [],
    async within(tx) {
      const endedAt = dependencies.clock.now();
      await dependencies.runs.end(tx, run, {
        status: 'completed',
        finalOutput: last.content,
        error: null,
        endedAt,
      });
      return undefined;
    },
    events: [completedEvent(lease.turnId, last.id, state)],
    messages: [],
    usage: [],
    trace: [],
  });
  return { ...state, steps: state.steps + 1, ended: true };
}
