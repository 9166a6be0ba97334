import type { Database } from '../database/database.ts';
import { notFound } from '../lib/app-error.ts';
import { waitAtMost } from '../lib/wait-at-most.ts';
import type { ConversationFeed, ShareQuery } from './conversation-feed.ts';
import { live, type Snapshot, type StreamEvent } from './event.ts';
import { eventLog } from './event-log.ts';

const usualPageSize = 100;
/** The log is read after this time even if the bus does not respond. */
const maxReadyMilliseconds = 1_000;

export interface FollowDependencies {
  database: Database;
  feed: Pick<ConversationFeed, 'subscribe' | 'snapshots'>;
  /** Replies that were started and then discarded, as empty snapshots: readers that previewed one must drop it. */
  retractions(workspaceId: string, conversationId: string): Promise<Snapshot[]>;
}

export interface FollowOptions {
  workspaceId: string;
  conversationId: string;
  /** Stored events after this number are sent first, then live ones. Undefined: live events only. */
  after: number | undefined;
  /** How many stored events are read at a time, and held until the reader has consumed them. */
  pageSize?: number | undefined;
  send(events: readonly StreamEvent[]): void;
  /** Resolves when the reader has consumed what was sent, so that the log is read no faster than that. */
  drained(): Promise<void>;
  /** The log could not be read, or was deleted: a reader that reconnects finds out. */
  onFailed(error: unknown): void;
}

const runAlone: ShareQuery = (_name, query) => query();

/**
 * Sends a conversation's events without gaps or duplicates: subscribes first, replays the log, then sends live events and
 * drops those already sent. Returns a function that stops it.
 */
export function followConversation(dependencies: FollowDependencies, options: FollowOptions): () => void {
  const { database, feed } = dependencies;
  const { workspaceId, conversationId, pageSize = usualPageSize, send } = options;
  let waiting: StreamEvent[] = [];
  let last = options.after;
  let replaying = false;
  /** The log has grown up to this number since the replay started, as far as known. */
  let grownTo = 0;
  let stopped = false;

  const subscription = feed.subscribe(conversationId, {
    onEvents(events) {
      // The common case: a delta, which has no number to check, while no earlier event is waiting.
      if (!replaying && waiting.length === 0 && events.every(({ sequence }) => sequence === null)) {
        return send(events);
      }
      waiting.push(...events);
      if (!replaying) drain();
    },
    async catchUp(lastSequence, share) {
      if (last === undefined || last >= lastSequence) return;
      if (replaying) grownTo = Math.max(grownTo, lastSequence);
      else await catchUp(share);
    },
    position: () => last,
    onDeleted() {
      if (!stopped) options.onFailed(notFound());
    },
  });
  if (last !== undefined) void catchUp(runAlone, waitForBus);
  return () => {
    stopped = true;
    subscription.end();
  };

  /** Without the bus, events of other nodes may be missed, so the log is read again once it is there. */
  async function waitForBus(): Promise<void> {
    if (await waitAtMost(maxReadyMilliseconds, subscription.ready)) return;
    void subscription.ready.then(() => {
      grownTo = Number.POSITIVE_INFINITY;
      return replaying || stopped ? undefined : catchUp();
    });
  }

  /** Sends the waiting events. If numbers are missing between them, reads those from the log first. */
  function drain(): void {
    const batch: StreamEvent[] = [];
    for (const [index, event] of waiting.entries()) {
      const { sequence } = event;
      if (sequence !== null && last !== undefined && sequence > last + 1) {
        waiting = waiting.slice(index);
        if (batch.length > 0) send(batch);
        return void catchUp();
      }
      if (sequence === null || last === undefined || sequence > last) batch.push(event);
      if (sequence !== null) last = Math.max(last ?? 0, sequence);
    }
    waiting = [];
    if (batch.length > 0) send(batch);
  }

  async function catchUp(share: ShareQuery = runAlone, before?: () => Promise<void>): Promise<void> {
    replaying = true;
    grownTo = 0;
    const arrived = waiting.length;
    try {
      await before?.();
      if (!stopped) await replay(share);
      goLive(arrived);
    } catch (error) {
      if (!stopped) options.onFailed(error);
    }
  }

  async function sendRetractions(after: number, share: ShareQuery): Promise<void> {
    if (stopped) return;
    const retracted = await share(`retractions of events after ${after}`, () =>
      dependencies.retractions(workspaceId, conversationId),
    );
    retracted.forEach(subscription.note);
    if (!stopped && retracted.length > 0) send(retracted);
  }

  /** `arrived` is the number of events that were waiting before the log was read. */
  function goLive(arrived: number): void {
    if (stopped) return;
    // Taken before anything is sent, because taking it publishes the pending delta to the other readers. Sent after the
    // waiting events, because its turn may have started among them.
    const standing = feed.snapshots(conversationId);
    replaying = false;
    // Waiting deltas are dropped: the snapshot contains them, and completed replies no longer need theirs. Retractions are
    // kept, because the reply that replaces a discarded one may already be completed and have no snapshot. Stored events
    // that arrived before the log was read were in it, or have been removed.
    waiting = waiting.filter(
      (event, index) => isRetraction(event) || (event.sequence !== null && index >= arrived),
    );
    drain();
    if (replaying) return;
    if (standing.length > 0) send(standing);
    if ((last ?? 0) < grownTo) void catchUp();
  }

  async function replay(share: ShareQuery): Promise<void> {
    for (;;) {
      const known = last ?? 0;
      // With the last one that the reader has: if none follows, it tells whether a turn is over whose previews arrive late.
      const page = { after: Math.max(known - 1, 0), limit: pageSize + 1 };
      const found = await share(`${page.limit} events after ${page.after}`, () =>
        eventLog.list(database.within(workspaceId), workspaceId, conversationId, page),
      );
      const rows = found[0]?.sequence === known ? found.slice(1) : found;
      if (rows.length === 0) found.forEach(subscription.noteNewest);
      const isLast = rows.length < pageSize;
      // Read after the events, because a reply may be discarded and replaced at any time.
      if (isLast) await sendRetractions(known, share);
      if (stopped) return;
      const batch: StreamEvent[] = [];
      for (const event of rows) {
        const { sequence } = event;
        const expected = (last ?? 0) + 1;
        if (sequence > expected) batch.push(gap(expected, sequence - 1, conversationId));
        batch.push(event);
        subscription.note(event);
        last = sequence;
      }
      if (batch.length > 0) send(batch);
      await options.drained();
      if (stopped || isLast) return;
    }
  }
}

function isRetraction(event: StreamEvent): boolean {
  return event.type === 'stream.snapshot' && event.data.text === '';
}

/** Events that a truncation removed: the reader has to read the conversation again. */
function gap(from: number, to: number, conversationId: string): StreamEvent {
  return live(null, {
    type: 'stream.gap',
    data: { from, to, conversation_url: `/api/v1/conversations/${conversationId}` },
  });
}
