import { live, retraction, type Snapshot } from '../../events/event.ts';
import type { Services } from '../../services.ts';

/** A reply while it is being written, and what readers see of it. */
export interface LiveReply {
  readonly messageId: string;
  /** Everything received so far. */
  readonly text: string;
  /** What readers have seen; undefined for a reply that is not shown before it is complete. */
  readonly shown: string | undefined;
  append(text: string): void;
  /** From now on, readers that join do not see it. */
  end(): void;
}

/** The turn and the conversation of a reply. */
export interface TurnOfReply {
  conversationId: string;
  turnId: string;
}

export interface BegunReply {
  messageId: string;
  /** Replies that were started and lost: readers drop their previews. */
  retracted: readonly string[];
  /** Whether it may be seen while it is being written. */
  isShown: boolean;
}

export type LiveReplies = ReturnType<typeof createLiveReplies>;

interface Standing extends BegunReply {
  turnId: string;
  /** How often this node had lapsed when the reply was begun. */
  lapses: number;
  text: string;
  /** The part that was not published yet. */
  unpublished: string;
}

export interface LiveRepliesDependencies extends Pick<Services, 'feed'> {
  presence: Pick<Services['presence'], 'lapses'>;
}

export function createLiveReplies({ feed, presence }: LiveRepliesDependencies) {
  const standing = new Map<string, Standing>();

  /** After a lapse another node may be writing the reply, so this one shows no more of it until it is stored. */
  const isDoubtful = ({ lapses }: Standing) => presence.lapses() !== lapses;

  /** Publishes what was received since the last time, as one delta. */
  function flush(conversationId: string, reply: Standing): void {
    const { turnId, messageId, text, unpublished } = reply;
    if (unpublished === '') return;
    reply.unpublished = '';
    if (isDoubtful(reply)) return;
    const data = { message_id: messageId, offset: text.length - unpublished.length, text: unpublished };
    feed.publish(conversationId, [live(turnId, { type: 'message.delta', data })]);
  }

  /** What a reader that joins now must receive. */
  function snapshots(conversationId: string): Snapshot[] {
    const reply = standing.get(conversationId);
    if (!reply) return [];
    // A snapshot must not be followed by deltas that it already contains.
    flush(conversationId, reply);
    const { turnId, messageId, text, isShown } = reply;
    const lost = reply.retracted.map((id) => retraction(turnId, id));
    return isShown && text && !isDoubtful(reply) ? [...lost, snapshot(turnId, messageId, text)] : lost;
  }

  return {
    snapshots,
    begin({ conversationId, turnId }: TurnOfReply, begun: BegunReply): LiveReply {
      const { messageId, isShown } = begun;
      const reply: Standing = { ...begun, turnId, text: '', unpublished: '', lapses: presence.lapses() };
      standing.set(conversationId, reply);
      if (begun.retracted.length > 0) feed.publish(conversationId, snapshots(conversationId));
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
          // Tokens that arrive in one read from the model's socket are published together.
          if (reply.unpublished === '') process.nextTick(flush, conversationId, reply);
          reply.unpublished += text;
        },
        end() {
          flush(conversationId, reply);
          if (standing.get(conversationId) === reply) standing.delete(conversationId);
        },
      };
    },
  };
}

function snapshot(turnId: string, messageId: string, text: string): Snapshot {
  return live(turnId, { type: 'stream.snapshot', data: { message_id: messageId, text } });
}
