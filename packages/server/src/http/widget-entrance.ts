import type { FastifyRequest } from 'fastify';
import { AppError } from '../lib/app-error.ts';
import { createGrowingLru } from '../lib/growing-lru.ts';
import type { KeyCheck } from './access.ts';
import type { WidgetDoor, WidgetPrincipal } from './end-user.ts';

const maxKnownKeys = 10_000;

/** What a request of a widget brings: the key in its query, and the page in its Origin. */
export type Entrance = Parameters<WidgetDoor['enter']>[0];

/** The widget key in the query; empty without exactly one. */
export function widgetKeyOf({ query }: FastifyRequest): string {
  const { key } = query as { key?: unknown };
  return typeof key === 'string' ? key : '';
}

export function entranceOf(request: FastifyRequest): Entrance {
  const { origin } = request.headers;
  return { key: widgetKeyOf(request), origin, isSameOrigin: isSameOrigin(request) };
}

/** Pages cannot set these headers themselves. Those of proxies are not read, because anybody can send them. */
function isSameOrigin({ headers }: FastifyRequest): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (site !== undefined) return site === 'same-origin';
  // Browsers leave it out over plain HTTP.
  return origin !== undefined && host !== undefined && URL.parse(origin)?.host === host;
}

/** Remembers which keys have worked, so that guessing keys is limited and using one is not. */
export function createWidgetKeyCheck(door: WidgetDoor) {
  const worked = createGrowingLru<true>(maxKnownKeys);

  /** Calls `allow` if scripts of the page may read the answer, even if it is an error. */
  return (request: FastifyRequest, allow: () => void): KeyCheck<WidgetPrincipal> => ({
    hasWorked: (key) => worked.has(key),
    async authenticate(key) {
      try {
        const widget = await door.enter(entranceOf(request));
        worked.set(key, true);
        allow();
        return widget;
      } catch (error) {
        if (isUnknownKey(error)) worked.delete(key);
        else if (isReadable(error, request)) allow();
        throw error;
      }
    },
  });
}

/**
 * A page may read why its own key does not work now. While keys cannot be looked up, every page may read that: it says nothing about
 * the key, and a page that cannot read it takes an outage for a refusal.
 */
function isReadable(error: unknown, { headers }: FastifyRequest): boolean {
  if (error instanceof AppError) return error.code !== 'FORBIDDEN';
  return headers.origin !== 'null';
}

function isUnknownKey(error: unknown): boolean {
  return error instanceof AppError && error.code === 'UNAUTHORIZED';
}
