import type { ExpectSipCall } from '../src/calls/answer-call.ts';
import { type OpenUserAgent, openUserAgent } from '../src/open-user-agent.ts';
import type { SipLog } from '../src/sip-options.ts';
import type { SipTimers } from '../src/sip-timers.ts';

const ignore = () => undefined;
const notices = { onMediaBlocked: ignore, onForeignRealm: ignore, onUnacknowledged: ignore };

/** A user agent whose trunk is at this port, and that anybody on this machine may call. */
export function openAgent({
  trunkPort,
  expect,
  port = 0,
  onError = ignore,
  timers = {},
}: {
  trunkPort: number;
  expect: ExpectSipCall;
  port?: number;
  onError?: SipLog['error'];
  timers?: Partial<SipTimers>;
}): Promise<OpenUserAgent> {
  const host = '127.0.0.1';
  return openUserAgent({
    settings: {
      trunk: { host, port: trunkPort },
      isRegistering: false,
      listen: { host, port },
      rtpPorts: { min: 20_000, max: 29_999 },
      allowedPeers: [host],
      mediaPeers: [],
      realms: [],
      srtp: 'off',
    },
    network: {
      lookUp: () => Promise.reject(new Error('There are no names here.')),
      lookUpService: () => Promise.resolve([]),
      openTls: () => Promise.reject(new Error('There is no TLS here.')),
    },
    notices,
    log: { debug: ignore, info: ignore, warn: ignore, error: onError },
    timers,
    expect,
  });
}
