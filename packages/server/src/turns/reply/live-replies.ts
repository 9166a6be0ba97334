import type { EventBus } from '../../events/bus.ts';
import { live, type Snapshot } from '../../events/event.ts';

/** A reply while it is being written: what readers see of it before it is whole. */
export interface LiveReply {
  readonly messageId: string;
  /** All that has come of it. */
  readonly text: string;
  /** What readers saw of it; undefined for one that is not shown before it is whole. */
  readonly shown: string | undefined;
  append(text: string): void;
  /** From here on it is no longer shown to readers who join. */
  end(): void;
}

/** Where a reply stands. */
export interface ReplyPlace {
  conversationId: string;
  turnId: string;
}

export interface BegunReply {
  messageId: string;
  /** Replies that were begun before and lost: readers drop what they previewed of them. */
  retracted: readonly string[];
  /** Whether it may be seen while it is being written. */
  isShown: boolean;
}

export interface LiveReplies {
  begin(place: ReplyPlace, begun: BegunReply): LiveReply;
  /** What a reader who joins now must know. */
  snapshots(conversationId: string): Snapshot[];
}

interface Standing extends BegunReply {
  turnId: string;
  text: string;
  /** The end of it that readers were not told yet. */
  untold: string;
}

export function createLiveReplies(bus: EventBus): LiveReplies {
  const standing = new Map<string, Standing>();

  /** Tells what has come since the last time, as one delta. */
  function tell(conversationId: string, reply: Standing): void {
    const { turnId, messageId, text, untold } = reply;
    if (untold === '') return;
    reply.untold = '';
    const data = { message_id: messageId, offset: text.length - untold.length, text: untold };
    bus.publish(conversationId, [live(turnId, { type: 'message.delta', data })]);
  }

  function snapshots(conversationId: string): Snapshot[] {
    const reply = standing.get(conversationId);
    if (!reply) return [];
    // What a snapshot holds must not be told after it.
    tell(conversationId, reply);
    const { turnId, messageId, text, isShown } = reply;
    const lost = reply.retracted.map((id) => snapshot(turnId, id, ''));
    return isShown && text ? [...lost, snapshot(turnId, messageId, text)] : lost;
  }

  return {
    snapshots,
    begin({ conversationId, turnId }, begun) {
      const { messageId, isShown } = begun;
      const reply: Standing = { ...begun, turnId, text: '', untold: '' };
      standing.set(conversationId, reply);
      if (begun.retracted.length > 0) bus.publish(conversationId, snapshots(conversationId));
      return {
        messageId,
        get text() {
          return reply.text;
        },
        get shown() {
          return isShown ? reply.text : undefined;
        },
        append(text) {
          reply.text += text;
          if (!isShown) return;
          // Tokens that were read from the model's socket in one go leave in one go, right after it.
          if (reply.untold === '') process.nextTick(tell, conversationId, reply);
          reply.untold += text;
        },
        end() {
          tell(conversationId, reply);
          if (standing.get(conversationId) === reply) standing.delete(conversationId);
        },
      };
    },
  };
}

function snapshot(turnId: string, messageId: string, text: string): Snapshot {
  return live(turnId, { type: 'stream.snapshot', data: { message_id: messageId, text } });
}
