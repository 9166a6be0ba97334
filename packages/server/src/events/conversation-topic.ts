import type { TopicKind } from '../bus/bus.ts';
import type { StreamEvent } from './event.ts';

type Events = readonly StreamEvent[];

/** The events of one conversation, which is the key. */
export const conversationTopic: TopicKind<Events> = {
  name: 'conversation',
  preview: { includes: isPreview, join: joinPreviews },
};

const previewNames: ReadonlySet<string> = new Set(['message.delta', 'message.typing', 'tool.progress']);

export function isPreview(events: Events): boolean {
  return events.every(({ type }) => previewNames.has(type));
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

/** Whether a message of another process, perhaps of another release, has the fields that this one relies on. */
export function isReadable(message: unknown): message is Events {
  return Array.isArray(message) && message.every(isEvent);
}

function isEvent(value: unknown): boolean {
  if (!isRecord(value) || !isRecord(value['data'])) return false;
  const { type, sequence, turnId, data } = value;
  if (typeof type !== 'string' || (turnId !== null && typeof turnId !== 'string')) return false;
  if (sequence !== null && !Number.isSafeInteger(sequence)) return false;
  if (type === 'message.completed')
    return isRecord(data['message']) && typeof data['message']['id'] === 'string';
  if (type !== 'message.delta' && type !== 'stream.snapshot') return true;
  const hasText = typeof data['message_id'] === 'string' && typeof data['text'] === 'string';
  return hasText && (type === 'stream.snapshot' || Number.isSafeInteger(data['offset']));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
