import type { Database } from '../database/database.ts';
import { startListener } from '../database/listener.ts';
import type { ConversationFeed } from '../events/conversation-feed.ts';
import type { KeyCache } from '../keys/key-cache.ts';
import { type KeyService, revokedChannel } from '../keys/keys.service.ts';
import type { Log } from '../lib/log.ts';
import { nodesChannel, type Presence } from '../nodes/presence.ts';
import { limitsChannel } from '../workspaces/workspaces.service.ts';

type Channels = Parameters<typeof startListener>[0]['channels'];

export interface Listening {
  database: Database;
  log: Log;
  keyCache: KeyCache;
  keys: Pick<KeyService, 'forgetDeadKeys'>;
  presence: Pick<Presence, 'hear'>;
  feed: Pick<ConversationFeed, 'noteLost'>;
  widgets: { onLimitsChanged(): void };
  /** Features with notifications of their own. */
  features: { notifications: Channels; setListening?(connected: boolean): void }[];
}

/** What the database notifies this node of. While nobody listens, nothing that was looked up is trusted. */
export function startListening(options: Listening): ReturnType<typeof startListener> {
  const { database, log, keyCache, keys, presence, feed, widgets, features } = options;
  return startListener({
    database,
    log,
    channels: {
      [revokedChannel]() {
        keyCache.clear();
        // The database says which keys do not work any more: their open streams end.
        keys.forgetDeadKeys().catch((error: unknown) => {
          log.warn({ err: error }, 'Streams of a revoked key may stay open until the next round.');
        });
      },
      [limitsChannel]() {
        keyCache.clear();
        widgets.onLimitsChanged();
      },
      [nodesChannel]: presence.hear,
      ...Object.assign({}, ...features.map(({ notifications }) => notifications)),
    },
    onConnected(connected) {
      keyCache.setTrusted(connected);
      for (const { setListening } of features) setListening?.(connected);
      if (connected) feed.noteLost();
    },
  });
}
