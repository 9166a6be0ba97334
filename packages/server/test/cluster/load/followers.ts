import { setTimeout as sleep } from 'node:timers/promises';
import { choicesFor } from '../choices.ts';
import type { Follower, History } from '../history.ts';
import { createReaderView } from '../reader-view.ts';
import type { Client } from './client.ts';

export interface Followers {
  /** Follows a conversation on chat/stream and reconnects for ever. Repeated calls are harmless. `tag` is its first turn. */
  follow(conversationId: string, tag: string): void;
  /** Ends all of them. */
  stop(): Promise<void>;
}

export function createFollowers(seed: number, history: History, client: Client): Followers {
  const stopping = new AbortController();
  const followed = new Set<string>();
  const work: Promise<void>[] = [];

  async function follow(follower: Follower): Promise<void> {
    const { name, conversationId, view } = follower;
    // Half of them never leave by themselves, so that a missed event is not repaired by reconnecting.
    const isSteady = choicesFor(seed, name).chance(0.5);
    for (let connection = 0; !stopping.signal.aborted; connection += 1) {
      const choices = choicesFor(seed, name, connection);
      view.reconnect();
      history.count('connections of followers');
      await client.read(`GET /api/v1/chat/stream?conversation_id=${conversationId}`, {
        lastEventId: view.lastId(),
        cutAfterMs: isSteady || choices.chance(0.3) ? undefined : choices.between(200, 9_000),
        onEvent: (event) => {
          view.apply(event);
          if (event.event === 'message.delta') return;
          history.note(`${name} reads ${conversationId} ${event.event} ${event.id ?? ''}`);
        },
        signal: stopping.signal,
      });
      await sleep(choices.between(0, 400));
    }
  }

  return {
    follow(conversationId, tag) {
      if (followed.has(conversationId)) return;
      followed.add(conversationId);
      const follower = {
        name: `follower of ${tag}`,
        conversationId,
        view: createReaderView({ ofTurn: false }),
      };
      history.followers.push(follower);
      work.push(follow(follower));
    },
    async stop() {
      stopping.abort();
      await Promise.all(work);
    },
  };
}
