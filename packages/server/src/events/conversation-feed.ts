import type { Bus, Subscription } from '../bus/bus.ts';
import { conversationTopic, isPreview, isReadable, joinPreviews } from './conversation-topic.ts';
import type { Snapshot, StreamEvent } from './event.ts';
import { type Joiner, joinWithinTick } from './join-within-tick.ts';
import { createReplyMirror, type ReplyMirror } from './reply-mirror.ts';
import { changesOf, workspaceTopic } from './workspace-changes.ts';

type Events = readonly StreamEvent[];

/** Runs a query, or returns the result of the same one that a reader has run since they began to catch up. */
export type ShareQuery = <Result>(name: string, query: () => Promise<Result>) => Promise<Result>;

/** A snapshot of a reply is requested at most this often. */
const renewMilliseconds = 1_000;

export interface ConversationReader {
  onEvents(events: readonly StreamEvent[]): void;
  /** The log has events up to this number, which may not have arrived. Resolves when they are sent. */
  catchUp(lastSequence: number, share: ShareQuery): Promise<void>;
  /** The number of the last event that was sent; undefined before the first. */
  position(): number | undefined;
  /** The conversation was deleted. */
  onDeleted(): void;
}

export interface FeedSubscription {
  /** Resolves when the events of other nodes arrive, or when none can arrive at the moment. */
  ready: Promise<void>;
  /** The reader found the event in the log or in the database, perhaps before it arrived here. */
  note(event: StreamEvent): void;
  /** The same for the newest event of the log. */
  noteNewest(event: StreamEvent): void;
  end(): void;
}

/** A conversation that has readers on this node. */
export interface Followed {
  conversationId: string;
  /** The number of the last event that every reader has. */
  position: number;
}

/** Carries events to the readers of a conversation on every node. Nothing is kept for readers that connect later. */
export type ConversationFeed = ReturnType<typeof createConversationFeed>;

interface Entry {
  readers: Set<ConversationReader>;
  subscription: Subscription;
  /** What only conversations in which something happens need: most of those that are followed are idle. */
  active?: Active;
}

interface Active {
  mirror: ReplyMirror;
  /** Previews that arrive in one read from the bus reach the readers together, or many readers could not keep up. */
  previews: Joiner<Events>;
}

export function createConversationFeed(bus: Bus) {
  const entries = new Map<string, Entry>();
  const lostCallbacks = new Set<() => void>();
  let localSnapshots: (conversationId: string) => Snapshot[] = () => [];
  bus.greet(conversationTopic, (conversationId) => {
    const snapshots = localSnapshots(conversationId);
    return snapshots.length > 0 ? snapshots : undefined;
  });

  function open(conversationId: string): Entry {
    const subscription = bus.subscribe(conversationTopic, conversationId, {
      onMessage(events, from) {
        if (from === 'elsewhere' && !isReadable(events)) throw new Error('These are not events.');
        const { mirror, previews } = activate(entry);
        if (from === 'elsewhere' && isPreview(events)) return previews.add(events);
        previews.flush();
        send(entry, from === 'here' ? mirror.passLocal(events) : mirror.passRemote(events));
      },
      onLost() {
        entry.active?.mirror.reset();
        for (const callback of lostCallbacks) callback();
      },
    });
    const entry: Entry = { readers: new Set(), subscription };
    return entry;
  }

  /** The log has events up to this number, or an unknown number: readers on this node that lack some read them there. */
  async function catchUp(conversationId: string, lastSequence = Number.POSITIVE_INFINITY): Promise<void> {
    const readers = entries.get(conversationId)?.readers ?? [];
    const shared = new Map<string, Promise<unknown>>();
    const share: ShareQuery = <Result>(name: string, query: () => Promise<Result>) => {
      const result = shared.get(name) ?? query();
      shared.set(name, result);
      return result as Promise<Result>;
    };
    await Promise.all(Array.from(readers, (reader) => reader.catchUp(lastSequence, share)));
  }

  return {
    /**
     * Events published together are delivered together. With stored events, the workspace is given too: its consoles learn that
     * the conversation has changed.
     */
    publish(conversationId: string, events: readonly StreamEvent[], workspaceId?: string): void {
      bus.publish(conversationTopic, conversationId, events);
      if (workspaceId !== undefined)
        bus.publish(workspaceTopic, workspaceId, changesOf(conversationId, events));
    },
    catchUp,
    subscribe(conversationId: string, reader: ConversationReader): FeedSubscription {
      const entry = entries.get(conversationId) ?? open(conversationId);
      entries.set(conversationId, entry);
      entry.readers.add(reader);
      return {
        ready: entry.subscription.ready,
        note: (event) => activate(entry).mirror.note(event),
        noteNewest: (event) => activate(entry).mirror.noteNewest(event),
        end() {
          if (!entry.readers.delete(reader) || entry.readers.size > 0) return;
          entries.delete(conversationId);
          entry.subscription.end();
        },
      };
    },
    /** The unfinished replies as readers on this node see them right now, on whichever node they are written. */
    snapshots(conversationId: string): Snapshot[] {
      const mirror = entries.get(conversationId)?.active?.mirror;
      const local = localSnapshots(conversationId);
      if (!mirror) return local;
      const shown = local.filter(({ data }) => data.text === '' || !mirror.isClosed(data.message_id));
      return [...shown, ...mirror.snapshots()];
    },
    /** Where the replies that are written on this node come from. */
    showReplies(snapshots: (conversationId: string) => Snapshot[]): void {
      localSnapshots = snapshots;
    },
    /** Called when events of any conversation may have been missed, until the returned function is called. */
    onLost(callback: () => void): () => void {
      lostCallbacks.add(callback);
      return () => void lostCallbacks.delete(callback);
    },
    /** Something may have been missed that only the database shows, such as a deletion. */
    noteLost(): void {
      for (const callback of lostCallbacks) callback();
    },
    /** Ends the readers of a conversation on this node, because it was deleted. */
    endDeleted(conversationId: string): void {
      for (const reader of entries.get(conversationId)?.readers ?? []) reader.onDeleted();
    },
    *followed(): Iterable<Followed> {
      for (const [conversationId, { readers }] of entries) {
        let position = Number.POSITIVE_INFINITY;
        for (const reader of readers) position = Math.min(position, reader.position() ?? position);
        if (position !== Number.POSITIVE_INFINITY) yield { conversationId, position };
      }
    },
  };
}

function activate(entry: Entry): Active {
  if (entry.active) return entry.active;
  let renewedAt = Number.NEGATIVE_INFINITY;
  const mirror = createReplyMirror(() => {
    if (performance.now() - renewedAt < renewMilliseconds) return;
    renewedAt = performance.now();
    entry.subscription.renew();
  });
  const previews = joinWithinTick(joinPreviews, (events) => send(entry, mirror.passRemote(events)));
  entry.active = { mirror, previews };
  return entry.active;
}

function send({ readers }: Entry, events: Events): void {
  if (events.length === 0) return;
  for (const reader of readers) reader.onEvents(events);
}
