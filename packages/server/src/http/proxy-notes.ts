import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../lib/clock.ts';
import { createHourlyWarnings } from '../lib/hourly-warnings.ts';
import type { Log } from '../lib/log.ts';

interface SeenRequest {
  headers: IncomingHttpHeaders;
  socket: { remoteAddress?: string | undefined };
}

export type ProxyNotes = ReturnType<typeof createProxyNotes>;

export interface ProxyNotesOptions {
  trustedProxies: readonly string[];
  clock: Clock;
  log: Log;
}

const hour = 3_600_000;

/**
 * Notices a proxy that nobody has configured: then all people seem to come from its address, and share the limits of one network.
 * Once proxies are configured, such headers of others are forgeries, and no reason for a warning.
 */
export function createProxyNotes({ trustedProxies, clock, log }: ProxyNotesOptions) {
  const warnHourly = createHourlyWarnings(log);
  let seenAt = 0;
  let peer = '';

  const note = () =>
    `Requests come through a proxy (${peer}), but SVC_TRUSTED_PROXIES is not set: everybody seems to have the proxy's address, and limits for one network apply to all people together. If it is your proxy, set SVC_TRUSTED_PROXIES to its address.`;

  return {
    /** Looks for signs of a proxy in a request. */
    look({ headers, socket }: SeenRequest): void {
      if (trustedProxies.length > 0) return;
      if (headers['x-forwarded-for'] === undefined && headers.forwarded === undefined) return;
      seenAt = clock.now().getTime();
      peer = socket.remoteAddress ?? 'unknown';
      warnHourly('proxy', {}, note());
    },
    /** For operators: what to configure, if a proxy was seen within the last hour. */
    current: (): string[] => (clock.now().getTime() - seenAt < hour ? [note()] : []),
  };
}
