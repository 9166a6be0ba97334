import { maxShownImages } from '../../models/model-image.ts';
import type { PlacedMessage, TurnState } from '../state.ts';
import type { StepChanges } from '../write/step-changes.ts';
import type { ToolCallEnd } from './tool-call-end.ts';

/** The state after calls ended: their messages are in it, with the images that are still shown, and they are no longer open. */
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
    messages: withLatestImages([
      ...state.messages,
      ...messages.map(({ message, event }) => {
        const images = ends.find(({ call }) => call.id === message.toolCallId)?.images;
        return { ...message, sequence: first + event, ...(images && { images }) };
      }),
    ]),
  };
}

/** Images are large, so a long turn must not keep those that no request shows any more. */
function withLatestImages(messages: readonly PlacedMessage[]): PlacedMessage[] {
  let left = maxShownImages;
  return messages
    .toReversed()
    .map((message) => {
      if (!message.images) return message;
      const { images, ...rest } = message;
      const kept = left === 0 ? [] : images.slice(-left);
      left -= kept.length;
      return kept.length === 0 ? rest : { ...rest, images: kept };
    })
    .toReversed();
}
