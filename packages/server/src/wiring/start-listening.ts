import { startListener } from '../database/listener.ts';
import type { Feature, Services } from '../services.ts';

/** What the database notifies this node of. While nothing arrives, nothing that was looked up is trusted. */
export function startListening(
  { database, log }: Pick<Services, 'database' | 'log'>,
  features: readonly Feature[],
): ReturnType<typeof startListener> {
  const handlers = Map.groupBy(
    features.flatMap(({ notifications = {} }) => Object.entries(notifications)),
    ([channel]) => channel,
  );
  const channels = [...handlers].map(([channel, entries]) => [
    channel,
    (payload: string) => {
      for (const [, handle] of entries) handle(payload);
    },
  ]);
  return startListener({
    database,
    log,
    channels: Object.fromEntries(channels),
    onConnected(isListening) {
      for (const { setListening } of features) setListening?.(isListening);
    },
  });
}
