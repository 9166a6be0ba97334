import type { Database } from '../database/database.ts';
import type { EventBus } from './bus.ts';
import { live, type Snapshot, type StreamEvent } from './event.ts';
import { eventLog } from './log.ts';

const pageSize = 100;

export interface FollowDependencies {
  database: Database;
  bus: EventBus;
  /** The unfinished replies of a conversation as they stand right now. */
  snapshots(conversationId: string): Snapshot[];
  /** Replies that were begun and taken back, as empty snapshots: who previewed one must drop it. */
  retractions(workspaceId: string, conversationId: string): Promise<Snapshot[]>;
}

export interface FollowOptions {
  workspaceId: string;
  conversationId: string;
  /** Everything after this number comes first, then what happens. Undefined: only what happens from now on. */
  after: number | undefined;
  send(events: readonly StreamEvent[]): void;
  /** Resolves when the reader has taken what was sent: the log is read no faster than that. */
  drained(): Promise<void>;
  /** Nothing more can be told here: the reader must come back. */
  onLost(error?: unknown): void;
}

/**
 * Reads a conversation without gap and without double: subscribes first, then replays the log, then follows live and
 * drops what was already sent. Returns how to stop.
 */
export function followConversation(dependencies: FollowDependencies, options: FollowOptions): () => void {
  const { database, bus, snapshots } = dependencies;
  const { workspaceId, conversationId, send } = options;
  let waiting: StreamEvent[] = [];
  /** Replies that the log has whole, though their snapshot may not be gone yet. */
  const completed = new Set<string>();
  let last = options.after;
  let replaying = false;
  /** There is more in the log than was there when the replay began. */
  let behind = false;
  let stopped = false;

  const unsubscribe = bus.subscribe(conversationId, {
    onEvents(events) {
      // Most of what comes is a piece of a reply: it has no number, and nothing before it is waited for.
      if (!replaying && waiting.length === 0 && events.every(({ sequence }) => sequence === null)) {
        return send(events);
      }
      waiting.push(...events);
      if (!replaying) drain();
    },
    onLost: () => options.onLost(),
    onBehind() {
      if (replaying) behind = true;
      else if (last !== undefined) catchUp();
    },
  });
  if (last !== undefined) catchUp(tellRetractions);
  return () => {
    stopped = true;
    unsubscribe();
  };

  /** Sends what is waiting. Numbers that are missing in between are read from the log first. */
  function drain(): void {
    const batch: StreamEvent[] = [];
    for (const [index, event] of waiting.entries()) {
      const { sequence } = event;
      if (sequence !== null && last !== undefined && sequence > last + 1) {
        waiting = waiting.slice(index);
        if (batch.length > 0) send(batch);
        return catchUp();
      }
      if (sequence === null || last === undefined || sequence > last) batch.push(event);
      if (sequence !== null) last = Math.max(last ?? 0, sequence);
    }
    waiting = [];
    if (batch.length > 0) send(batch);
  }

  function catchUp(before: () => Promise<void> = async () => undefined): void {
    replaying = true;
    behind = false;
    before()
      .then(replay)
      .then(goLive)
      .catch((error: unknown) => {
        if (!stopped) options.onLost(error);
      });
  }

  async function tellRetractions(): Promise<void> {
    const retracted = await dependencies.retractions(workspaceId, conversationId);
    if (!stopped && retracted.length > 0) send(retracted);
  }

  function goLive(): void {
    if (stopped) return;
    // Taken first, because others may be told what it holds and they were not told yet. It is sent after the events that
    // waited: the turn it belongs to may have begun among them.
    const standing = snapshots(conversationId).filter(({ data }) => !completed.has(data.message_id));
    replaying = false;
    // The snapshot holds every delta published so far, and those of finished replies no longer matter. What was taken back
    // meanwhile is told here or nowhere: the reply in its place may be over already.
    waiting = waiting.filter((event) => event.sequence !== null || isRetraction(event));
    drain();
    if (replaying) return;
    if (standing.length > 0) send(standing);
    if (behind) catchUp();
  }

  async function replay(): Promise<void> {
    for (;;) {
      const from = last ?? 0;
      const rows = await eventLog.list(database.query, workspaceId, conversationId, {
        after: from,
        limit: pageSize,
      });
      if (stopped) return;
      const batch: StreamEvent[] = [];
      for (const event of rows) {
        const { sequence } = event;
        const expected = (last ?? 0) + 1;
        if (sequence > expected) batch.push(gap(expected, sequence - 1, conversationId));
        batch.push(event);
        if (event.type === 'message.completed') completed.add(event.data.message.id);
        last = sequence;
      }
      if (batch.length > 0) send(batch);
      await options.drained();
      if (stopped || rows.length < pageSize) return;
    }
  }
}

function isRetraction(event: StreamEvent): boolean {
  return event.type === 'stream.snapshot' && event.data.text === '';
}

/** Numbers that truncation took away: the reader's picture is no longer whole. */
function gap(from: number, to: number, conversationId: string): StreamEvent {
  return live(null, {
    type: 'stream.gap',
    data: { from, to, conversation_url: `/api/v1/conversations/${conversationId}` },
  });
}
