import type { TurnState } from '../state.ts';
import type { StepChanges } from '../write/step-changes.ts';
import type { ToolCallEnd } from './tool-call-end.ts';

/** The state after calls ended: their messages are in it, and they are no longer open. */
export function foldEnds(
  state: TurnState,
  ends: readonly ToolCallEnd[],
  { messages }: Pick<StepChanges, 'messages'>,
  first: number,
): TurnState {
  const closed = new Set(ends.map(({ call }) => call.id));
  return {
    ...state,
    steps: state.steps + 1,
    calls: state.calls.filter((call) => !closed.has(call.id)),
    messages: [
      ...state.messages,
      ...messages.map(({ message, event }) => {
        const images = ends.find(({ call }) => call.id === message.toolCallId)?.images;
        return { ...message, sequence: first + event, ...(images && { images }) };
      }),
    ],
  };
}
