import { createAuthenticator } from '../http/authenticator.ts';
import { createConcurrencyLimits } from '../http/concurrency-limits.ts';
import { createConversationStreams } from '../http/conversation-streams.ts';
import { createEventStreams } from '../http/event-streams.ts';
import type { FrontDoor } from '../http/front-door.ts';
import { createIdempotent } from '../http/idempotency.ts';
import { noteChanges } from '../http/note-changes.ts';
import type { ProxyNotes } from '../http/proxy-notes.ts';
import { createSendDownload } from '../http/send-download.ts';
import { createSendList } from '../http/send-list.ts';
import { createSendStream } from '../http/send-stream.ts';
import { createHttpServer } from '../http/server.ts';
import { createWatchKey } from '../http/watch-key.ts';
import { createWebSockets } from '../http/web-sockets.ts';
import type { Ground, Services } from '../services.ts';

/** The HTTP server without routes, and what routes answer with. */
export async function openHttp(
  services: Ground &
    Pick<
      Services,
      'endUsers' | 'keyCache' | 'keys' | 'limits' | 'machines' | 'members' | 'reading' | 'widgets'
    > & {
      door: FrontDoor;
      proxyNotes: ProxyNotes;
    },
) {
  const { config, door, keyCache, endUsers, members, reading, clock, log, publicUrl, proxyNotes, meters } =
    services;
  const widgetDoor = services.widgets.door;
  const { trustedProxies } = config;
  const corsOrigins = new Set(config.corsOrigins);
  const authenticator = createAuthenticator({
    ...services,
    machineKeys: services.machines,
    widgetDoor,
    corsOrigins,
    metricsToken: config.metrics?.token,
  });
  const http = await createHttpServer({ log, publicUrl, door, authenticator, trustedProxies });
  const streams = createEventStreams();
  let webSockets = 0;
  meters.gauge('streamReaders', () => [
    { value: streams.count, labels: ['events'] },
    { value: webSockets, labels: ['websocket'] },
  ]);
  const watchKey = createWatchKey({ keys: keyCache, widgetDoor, endUsers, members, clock });
  const conversationStreams = createConversationStreams(streams, reading, watchKey);
  const concurrencyLimits = createConcurrencyLimits(services.inProgress);
  const idempotent = createIdempotent(services.idempotency);
  noteChanges(http, services.noteChange);
  http.addHook('onRequest', async (request) => proxyNotes.look(request));
  http.addHook('onResponse', async (_request, reply) =>
    meters.httpRequests.add(1, `${Math.floor(reply.statusCode / 100)}xx`),
  );
  return {
    http,
    services: {
      streams,
      conversationStreams,
      sendStream: createSendStream(conversationStreams, idempotent, concurrencyLimits),
      openWebSockets: createWebSockets({
        upgrades: door.upgrades,
        log,
        onCount(change) {
          webSockets += change;
        },
      }),
      concurrencyLimits,
      sendList: createSendList({ concurrencyLimits }),
      sendDownload: createSendDownload({ concurrencyLimits, watchKey }),
      idempotent,
      watchKey,
    },
    rounds: [{ name: 'stream beats', everyMilliseconds: 15_000, work: async () => streams.beat() }],
  };
}
