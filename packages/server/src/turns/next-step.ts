import { type CallDecision, decideCalls } from './calls/call.ts';
import type { TurnState } from './state.ts';

export type Step = { kind: 'reply' } | { kind: 'done' } | Exclude<CallDecision, { kind: 'wait' }>;

/** What the written state asks for next. */
export function nextStep(state: TurnState): Step {
  if (state.ended || state.paused) return { kind: 'done' };
  if (state.calls.length === 0) return { kind: 'reply' };
  const decision = decideCalls(state.calls);
  return decision.kind === 'wait' ? { kind: 'done' } : decision;
}
