import type { TurnLease } from '../run/lease.ts';
import type { TurnState } from '../state.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import { completionCheckStep } from './check-step.ts';
import { readOutput } from './run-output.ts';
import { unusableMessage } from './send-back.ts';
import { sendBackStep } from './send-back-step.ts';

/** The agent says that it is done: its goal is checked if its output is usable; otherwise it is sent back. */
export async function finishStep(
  lease: TurnLease,
  finalText: string,
  state: TurnState,
  dependencies: TurnDependencies,
  signal: AbortSignal,
): Promise<TurnState> {
  const output = await readOutput(state.run?.outputConfig ?? null, finalText, lease.workspaceId, signal);
  if (output.kind === 'unusable') {
    return sendBackStep(lease, unusableMessage(output.faults), state, dependencies);
  }
  return completionCheckStep(lease, output.text, state, dependencies, signal);
}
