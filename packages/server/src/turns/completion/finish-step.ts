import type { TurnDependencies } from '../dependencies.ts';
import type { TurnLease } from '../run/lease.ts';
import type { TurnState } from '../state.ts';
import { completionCheckStep } from './check-step.ts';
import { readOutput } from './output.ts';
import { unusableMessage } from './send-back.ts';
import { sendBackStep } from './send-back-step.ts';

/** The agent says that it is done: with an output that can be used its goal is checked, without it is sent back. */
export async function finishStep(
  lease: TurnLease,
  lastWords: string,
  state: TurnState,
  dependencies: TurnDependencies,
  signal: AbortSignal,
): Promise<TurnState> {
  const output = await readOutput(state.run?.outputConfig ?? null, lastWords, lease.workspaceId, signal);
  if (output.kind === 'unusable') {
    return sendBackStep(lease, unusableMessage(output.faults), state, dependencies);
  }
  return completionCheckStep(lease, output.text, state, dependencies, signal);
}
