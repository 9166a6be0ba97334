import { finishStep } from './completion/finish-step.ts';
import { nextStep } from './next-step.ts';
import { hearOperators } from './reply/operators/hear-operators.ts';
import { replyStep } from './reply/reply-step.ts';
import type { TurnLease } from './run/lease.ts';
import { outOfIterations, requireModel, requireReady, requireTimeLeft } from './run/run-limits.ts';
import type { TurnState } from './state.ts';
import { askStep } from './tool-calls/ask-step.ts';
import { closeToolCallsStep } from './tool-calls/close-tool-calls-step.ts';
import { hearLateOutcomes } from './tool-calls/late-outcome.ts';
import { runToolCallsStep } from './tool-calls/run-tool-calls-step.ts';
import type { TurnDependencies } from './turn-dependencies.ts';

/** Advances a turn from its stored state to its end, or until it is paused. Throws what stops it on the way. */
export async function advanceTurn(
  lease: TurnLease,
  written: TurnState,
  dependencies: TurnDependencies,
  signal: AbortSignal,
): Promise<TurnState> {
  let state = written; // read once per lease, then folded forward
  for (;;) {
    signal.throwIfAborted();
    const step = nextStep(state); // pure: what the state calls for
    if (step.kind !== 'done') requireTimeLeft(state, dependencies);
    switch (step.kind) {
      case 'reply':
        requireModel(state, dependencies);
        if (state.run) await requireReady(lease, state, dependencies, signal);
        state = await hearOperators(lease, state, dependencies);
        state = await hearLateOutcomes(lease, state, dependencies);
        state = await replyStep(lease, state, dependencies, signal);
        break;
      case 'close':
        state = await closeToolCallsStep(lease, step.calls, state, dependencies);
        break;
      case 'run':
        state = await runToolCallsStep(lease, step.calls, state, dependencies, signal); // together
        break;
      case 'ask':
        state = await askStep(lease, step.calls, state, dependencies, signal);
        break;
      case 'finish':
        state = await finishStep(lease, step.finalText, state, dependencies, signal);
        break;
      case 'exhausted':
        throw outOfIterations(state);
      case 'done':
        return state;
    }
    dependencies.meters.steps.add(1, step.kind);
  }
}
