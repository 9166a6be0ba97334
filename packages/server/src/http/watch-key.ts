import type { FastifyRequest } from 'fastify';
import { AppError } from '../app-error.ts';
import type { Clock } from '../clock.ts';
import { principalOf } from './access.ts';
import type { EndUserPrincipal, WidgetDoor } from './end-user.ts';
import { entranceOf } from './widget-entrance.ts';

/** Ends a stream when the key that opened it is revoked or expires. Returns a function that stops watching. */
export type WatchKey = (request: FastifyRequest, end: () => void) => () => void;

/** A notification that a widget key has changed can be lost. */
const checkEveryMilliseconds = 30_000;

export interface WatchKeyDependencies {
  keys: { onForgotten(keyId: string, callback: () => void): () => void };
  widgetDoor: WidgetDoor;
  clock: Clock;
}

/** A token ends with the key that issued it, or when it expires. */
export function createWatchKey({ keys, widgetDoor, clock }: WatchKeyDependencies): WatchKey {
  return (request, end) => {
    const { endUser } = request;
    if (!endUser) return keys.onForgotten(principalOf(request).keyId, end);
    const timer = setTimeout(end, millisecondsLeft(endUser)).unref();
    const unwatch = request.widget
      ? watchDoor(request, endUser, end)
      : keys.onForgotten(endUser.issuerId, end);
    return () => {
      clearTimeout(timer);
      unwatch();
    };
  };

  function millisecondsLeft({ expiresAt }: EndUserPrincipal): number {
    return expiresAt.getTime() - clock.now().getTime();
  }

  function watchDoor(request: FastifyRequest, { issuerId }: EndUserPrincipal, end: () => void): () => void {
    const entrance = entranceOf(request);
    const check = async () => {
      try {
        await widgetDoor.enter(entrance);
      } catch (error) {
        // Other failures say nothing about the key.
        if (error instanceof AppError) end();
      }
    };
    const unwatch = widgetDoor.onChanged(issuerId, () => void check());
    const timer = setInterval(() => void check(), checkEveryMilliseconds).unref();
    // The key may have changed since the request was let in.
    void check();
    return () => {
      clearInterval(timer);
      unwatch();
    };
  }
}
