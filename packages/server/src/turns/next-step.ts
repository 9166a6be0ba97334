import { type CallDecision, decideCalls } from './calls/call.ts';
import type { TurnState } from './state.ts';

export type Step =
  | { kind: 'reply' }
  /** The agent says that it is done. */
  | { kind: 'check' }
  /** A run may not go on, and its goal is not reached. */
  | { kind: 'exhausted' }
  | { kind: 'done' }
  | Exclude<CallDecision, { kind: 'wait' }>;

/** What the written state asks for next. */
export function nextStep(state: TurnState): Step {
  if (state.ended || state.paused) return { kind: 'done' };
  if (state.calls.length > 0) {
    const decision = decideCalls(state.calls);
    return decision.kind === 'wait' ? { kind: 'done' } : decision;
  }
  const { run } = state;
  if (!run) return { kind: 'reply' };
  if (saysItIsDone(state)) return { kind: 'check' };
  return run.iterations < run.maxIterations ? { kind: 'reply' } : { kind: 'exhausted' };
}

/** A reply without calls is how an agent says so. */
function saysItIsDone({ messages }: TurnState): boolean {
  return messages.at(-1)?.role === 'assistant';
}
