import type { Config } from '../config.ts';
import { createAuthenticate, createWatchKey, type KeyCheck, type MachinePrincipal } from '../http/access.ts';
import { createEventStreams } from '../http/event-streams.ts';
import type { FrontDoor } from '../http/front-door.ts';
import { createIdempotent } from '../http/idempotency.ts';
import { createPlaces } from '../http/places.ts';
import { createSendList } from '../http/send-list.ts';
import { createHttpServer } from '../http/server.ts';
import { createWebSockets } from '../http/web-sockets.ts';
import type { IdempotencyService } from '../idempotency/service.ts';
import type { KeyCache } from '../keys/key-cache.ts';
import type { KeyService } from '../keys/service.ts';
import type { InProgress } from '../limits/in-progress.ts';
import type { Log } from '../log.ts';
import type { OpenedRequestLimits } from './open-request-limits.ts';

export interface OpenHttpOptions {
  config: Pick<Config, 'publicUrl'>;
  door: FrontDoor;
  keys: KeyService;
  keyCache: KeyCache;
  machineKeys: KeyCheck<MachinePrincipal>;
  idempotency: IdempotencyService;
  inProgress: InProgress;
  /** Closed with the server. */
  requestLimits: OpenedRequestLimits;
  log: Log;
}

export type OpenedHttp = Awaited<ReturnType<typeof openHttp>>;

/** The HTTP server without routes, and what routes work with. */
export async function openHttp(options: OpenHttpOptions) {
  const { config, door, keys, keyCache, machineKeys, idempotency, inProgress, requestLimits, log } = options;
  const { publicUrl } = config;
  const authenticate = createAuthenticate({ keys, machineKeys, limits: requestLimits.limits });
  const places = createPlaces(inProgress);
  const http = await createHttpServer({ log, publicUrl, door, authenticate });
  http.addHook('onClose', requestLimits.close);
  return {
    http,
    publicUrl,
    streams: createEventStreams(),
    openWebSockets: createWebSockets({ upgrades: door.upgrades, log }),
    places,
    sendList: createSendList({ places }),
    idempotent: createIdempotent(idempotency),
    watchKey: createWatchKey(keyCache),
  };
}
