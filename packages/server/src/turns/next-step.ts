import type { TurnState } from './state.ts';
import { decideToolCalls, type ToolCallDecision } from './tool-calls/tool-call.ts';

export type Step =
  | { kind: 'reply' }
  /** The agent says that it is done. */
  | { kind: 'finish'; finalText: string }
  /** The run has no iterations left, and its goal is not reached. */
  | { kind: 'exhausted' }
  | { kind: 'done' }
  | Exclude<ToolCallDecision, { kind: 'wait' }>;

/** Pure: the next step of a turn in this state. */
export function nextStep(state: TurnState): Step {
  if (state.ended || state.paused) return { kind: 'done' };
  if (state.calls.length > 0) {
    const decision = decideToolCalls(state.calls);
    return decision.kind === 'wait' ? { kind: 'done' } : decision;
  }
  const { run } = state;
  if (!run) return { kind: 'reply' };
  const last = state.messages.at(-1);
  // A reply without calls is how an agent says that it is done.
  if (last?.role === 'assistant') return { kind: 'finish', finalText: last.content };
  return run.iterations < run.maxIterations ? { kind: 'reply' } : { kind: 'exhausted' };
}
