import type { Config } from '../config/config.ts';
import type { FollowDependencies } from '../events/follow-conversation.ts';
import type { NoteChange } from '../events/workspace-changes.ts';
import type { EndUserCheck, KeyCheck, MachinePrincipal } from '../http/access.ts';
import { createAuthenticator } from '../http/authenticator.ts';
import { createConversationStreams } from '../http/conversation-streams.ts';
import type { WidgetDoor } from '../http/end-user.ts';
import { createEventStreams } from '../http/event-streams.ts';
import type { FrontDoor } from '../http/front-door.ts';
import { createIdempotent } from '../http/idempotency.ts';
import type { MemberCheck } from '../http/member.ts';
import { noteChanges } from '../http/note-changes.ts';
import { createPlaces } from '../http/places.ts';
import type { ProxyNotes } from '../http/proxy-notes.ts';
import { createSendDownload } from '../http/send-download.ts';
import { createSendList } from '../http/send-list.ts';
import { createSendStream } from '../http/send-stream.ts';
import { createHttpServer } from '../http/server.ts';
import { createWatchKey } from '../http/watch-key.ts';
import { createWebSockets } from '../http/web-sockets.ts';
import type { IdempotencyService } from '../idempotency/idempotency.service.ts';
import type { KeyCache } from '../keys/key-cache.ts';
import type { KeyService } from '../keys/keys.service.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { InProgress } from '../limits/in-progress.ts';
import type { OpenedRequestLimits } from './open-request-limits.ts';

export interface OpenHttpOptions {
  config: Pick<Config, 'publicUrl' | 'corsOrigins' | 'trustedProxies'>;
  door: FrontDoor;
  keys: KeyService;
  keyCache: KeyCache;
  machineKeys: KeyCheck<MachinePrincipal>;
  endUsers: EndUserCheck;
  widgetDoor: WidgetDoor;
  members: MemberCheck;
  idempotency: IdempotencyService;
  inProgress: InProgress;
  reading: FollowDependencies;
  /** Closed with the server. */
  requestLimits: OpenedRequestLimits;
  noteChange: NoteChange;
  proxyNotes: ProxyNotes;
  clock: Clock;
  log: Log;
}

export type OpenedHttp = Awaited<ReturnType<typeof openHttp>>;

/** The HTTP server without routes, and what routes work with. */
export async function openHttp(options: OpenHttpOptions) {
  const { config, door, keyCache, widgetDoor, endUsers, members, idempotency, inProgress } = options;
  const { reading, requestLimits, clock, log } = options;
  const { publicUrl, trustedProxies } = config;
  const authenticator = createAuthenticator({
    ...options,
    publicUrl,
    corsOrigins: new Set(config.corsOrigins),
    limits: requestLimits.limits,
  });
  const http = await createHttpServer({ log, publicUrl, door, authenticator, trustedProxies });
  const streams = createEventStreams();
  const watchKey = createWatchKey({ keys: keyCache, widgetDoor, endUsers, members, clock });
  const conversationStreams = createConversationStreams({ streams, reading, watchKey });
  const places = createPlaces(inProgress);
  const idempotent = createIdempotent(idempotency);
  http.addHook('onClose', requestLimits.close);
  noteChanges(http, options.noteChange);
  http.addHook('onRequest', async (request) => options.proxyNotes.look(request));
  return {
    http,
    publicUrl,
    streams,
    conversationStreams,
    sendStream: createSendStream({ conversationStreams, idempotent, places }),
    openWebSockets: createWebSockets({ upgrades: door.upgrades, log }),
    places,
    sendList: createSendList({ places }),
    sendDownload: createSendDownload({ places, watchKey }),
    idempotent,
    watchKey,
  };
}
