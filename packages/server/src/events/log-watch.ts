import type { Database } from '../database/database.ts';
import type { Log } from '../lib/log.ts';
import { type Repetition, repeat } from '../lib/repeat.ts';
import { waitAtMost } from '../lib/wait-at-most.ts';
import type { Presence } from '../nodes/presence.ts';
import type { ConversationFeed, Followed } from './conversation-feed.ts';
import { eventLog } from './event-log.ts';

const lookMilliseconds = 1_000;
/** How many conversations one statement checks. */
const chunkSize = 1_000;
/** So many conversations catch up at the same time. */
const concurrency = 20;
/** A slow reader delays the others at most this long. */
const maxCatchUpMilliseconds = 500;

/**
 * While a node is out of the bus's reach, checks every second whether the conversations that are followed here have grown in
 * the log. Checks once more when that ends, when the bus has lost messages, and when a node is gone: it may have died before
 * it could publish what it had written. Ends the readers of conversations that are not in the database any more.
 */
export function startLogWatch({
  database,
  feed,
  presence,
  log,
}: {
  database: Database;
  feed: Pick<ConversationFeed, 'followed' | 'catchUp' | 'onLost' | 'endDeleted'>;
  presence: Pick<Presence, 'isApart' | 'onChange'>;
  log: Log;
}): Pick<Repetition, 'stop'> {
  let isDue = false;
  const lookNext = () => {
    isDue = true;
  };
  const unsubscribe = [feed.onLost(lookNext), presence.onChange(lookNext)];
  const looking = repeat({ name: 'log watch', everyMilliseconds: lookMilliseconds, log, work: look });

  async function look(): Promise<void> {
    if (!isDue && !presence.isApart()) return;
    isDue = false;
    try {
      for (const chunk of chunksOf(feed.followed())) await catchUp(chunk);
    } catch (error) {
      isDue = true;
      throw error;
    }
  }

  async function catchUp(followed: readonly Followed[]): Promise<void> {
    const grown = await eventLog.listGrownAcrossWorkspaces(database.acrossWorkspaces, followed);
    for (let index = 0; index < grown.length; index += concurrency) {
      const group = grown.slice(index, index + concurrency);
      const all = Promise.all(
        group.map(async ({ id, lastSequence }) => {
          if (lastSequence === null) feed.endDeleted(id);
          else await feed.catchUp(id, lastSequence);
        }),
      );
      await waitAtMost(maxCatchUpMilliseconds, all);
    }
  }

  return {
    async stop() {
      for (const end of unsubscribe) end();
      await looking.stop();
    },
  };
}

/** Taken one chunk at a time: conversations may come and go in between. */
function* chunksOf(followed: Iterable<Followed>): Iterable<Followed[]> {
  let chunk: Followed[] = [];
  for (const one of followed) {
    chunk.push(one);
    if (chunk.length < chunkSize) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
