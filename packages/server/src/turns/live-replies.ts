import type { EventBus } from '../events/bus.ts';
import { live, type StreamEvent } from '../events/event.ts';

/** A reply while it is being written: what readers see of it before it is whole. */
export interface LiveReply {
  readonly messageId: string;
  readonly text: string;
  append(text: string): void;
  /** From here on it is no longer shown to who joins. */
  end(): void;
}

export interface LiveReplies {
  /** `retracted` names replies that were begun before and lost: readers drop what they previewed of them. */
  begin(conversationId: string, turnId: string, messageId: string, retracted: readonly string[]): LiveReply;
  /** What a reader who joins now must know. */
  snapshots(conversationId: string): StreamEvent[];
}

interface Standing {
  turnId: string;
  messageId: string;
  retracted: readonly string[];
  text: string;
}

export function createLiveReplies(bus: EventBus): LiveReplies {
  const standing = new Map<string, Standing>();

  function snapshots(conversationId: string): StreamEvent[] {
    const reply = standing.get(conversationId);
    if (!reply) return [];
    const { turnId, messageId, text } = reply;
    const lost = reply.retracted.map((id) => snapshot(turnId, id, ''));
    return text ? [...lost, snapshot(turnId, messageId, text)] : lost;
  }

  return {
    snapshots,
    begin(conversationId, turnId, messageId, retracted) {
      const reply: Standing = { turnId, messageId, retracted, text: '' };
      standing.set(conversationId, reply);
      if (retracted.length > 0) bus.publish(conversationId, snapshots(conversationId));
      return {
        messageId,
        get text() {
          return reply.text;
        },
        append(text) {
          const delta = { message_id: messageId, offset: reply.text.length, text };
          reply.text += text;
          bus.publish(conversationId, [live(turnId, { type: 'message.delta', data: delta })]);
        },
        end() {
          if (standing.get(conversationId) === reply) standing.delete(conversationId);
        },
      };
    },
  };
}

function snapshot(turnId: string, messageId: string, text: string): StreamEvent {
  return live(turnId, { type: 'stream.snapshot', data: { message_id: messageId, text } });
}
