import type { TopicKind } from '../bus/bus.ts';
import type { StreamEvent } from './event.ts';

type Events = readonly StreamEvent[];

/** The events of one conversation, which is the key. */
export const conversationTopic: TopicKind<Events> = {
  name: 'conversation',
  preview: { includes: isPreview, join: joinPreviews },
};

export function isPreview(events: Events): boolean {
  return events.every(({ type }) => type === 'message.delta' || type === 'tool.progress');
}

/** Adjacent deltas of a message become one. */
export function joinPreviews(earlier: Events, later: Events): Events {
  const [first, ...others] = later;
  const last = earlier.at(-1);
  if (last?.type !== 'message.delta' || first?.type !== 'message.delta') return [...earlier, ...later];
  const isContinued =
    last.data.message_id === first.data.message_id &&
    last.data.offset + last.data.text.length === first.data.offset;
  if (!isContinued) return [...earlier, ...later];
  const joined = { ...last, data: { ...last.data, text: last.data.text + first.data.text } };
  return [...earlier.slice(0, -1), joined, ...others];
}
