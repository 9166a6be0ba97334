import type { FullEvent } from '@svc/client/conversation';
import type { LiveMessage, LiveRequest } from '@svc/contract/live';

type EventMessage = Extract<LiveMessage, { type: 'event' }>;

export interface Follower {
  onEvents(events: readonly FullEvent[]): void;
  /** The conversation was deleted, or cannot be read. */
  onEnd(problem: { code: string; message: string }): void;
}

export interface FollowedPosition {
  conversationId: string;
  last: number | undefined;
}

interface Entry {
  /** With the number of the last event that each has. */
  followers: Map<Follower, number>;
  /** The number of the last event that was received. */
  last: number | undefined;
}

/** The conversations that this console follows. Each resumes after its last event when the socket is opened again. */
export function createFollowed(send: (request: LiveRequest) => void) {
  const entries = new Map<string, Entry>();

  function request(conversationId: string, { last }: Entry): void {
    send({ type: 'follow', conversation_id: conversationId, ...(last !== undefined && { after: last }) });
  }

  return {
    /** Followers of the same conversation share what arrives; the earliest position counts. */
    follow(conversationId: string, after: number | undefined, follower: Follower): () => void {
      const known = entries.get(conversationId);
      const entry: Entry = known ?? { followers: new Map(), last: after };
      if (known && after !== undefined) known.last = Math.min(known.last ?? after, after);
      entry.followers.set(follower, after ?? 0);
      entries.set(conversationId, entry);
      request(conversationId, entry);
      return () => {
        entry.followers.delete(follower);
        if (entry.followers.size > 0 || entries.get(conversationId) !== entry) return;
        entries.delete(conversationId);
        send({ type: 'unfollow', conversation_id: conversationId });
      };
    },
    resume(): void {
      for (const [conversationId, entry] of entries) request(conversationId, entry);
    },
    receive({ conversation_id: conversationId, event: type, id, data }: EventMessage): void {
      const entry = entries.get(conversationId);
      if (!entry) return;
      if (id !== null) entry.last = Math.max(entry.last ?? 0, id);
      for (const [follower, last] of entry.followers) {
        if (id !== null && id <= last) continue;
        if (id !== null) entry.followers.set(follower, id);
        follower.onEvents([{ id: id ?? undefined, type, data } as FullEvent]);
      }
    },
    end(conversationId: string, problem: { code: string; message: string }): void {
      const entry = entries.get(conversationId);
      entries.delete(conversationId);
      for (const follower of entry?.followers.keys() ?? []) follower.onEnd(problem);
    },
    /** The last event of each followed conversation, for reading on without a socket. */
    positions: (): FollowedPosition[] =>
      [...entries].map(([conversationId, { last }]) => ({ conversationId, last })),
  };
}
export type Followed = ReturnType<typeof createFollowed>;
