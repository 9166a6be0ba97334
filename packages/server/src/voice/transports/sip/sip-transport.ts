import type { Dialing } from '@svc/sip/calls/dial';
import { endLeftCall } from '@svc/sip/calls/end-left-call';
import { type OpenUserAgent, openUserAgent } from '@svc/sip/open-user-agent';
import type { SipNetwork, SipNotices, SipSettings } from '@svc/sip/sip-options';
import { type SipTimers, sipTimers } from '@svc/sip/sip-timers';
import { createServiceLookup } from '../../../egress/service-lookup.ts';
import { createSystemLookup, type SystemLookup } from '../../../egress/system-lookup.ts';
import { openTrustedTlsSocket } from '../../../egress/trusted-tls-socket.ts';
import { createHourlyWarnings } from '../../../lib/hourly-warnings.ts';
import type { Log } from '../../../lib/log.ts';
import type { Services } from '../../../services.ts';
import { CallNotPlaced, type Exchange, type VoiceTransport } from '../call-transport.ts';
import { createAnswerCall } from './answer-call.ts';
import { placeCall } from './place-call.ts';
import { createReports } from './reports.ts';

export interface SipTransportOptions extends Pick<Services, 'log'> {
  config: SipSettings;
  exchange: Exchange;
  timers?: Partial<SipTimers>;
  lookUp?: SystemLookup;
}

/** The port that was bound, for callers that let the system choose it. */
export interface SipTransport extends VoiceTransport {
  readonly port: number;
}

/** Connects a SIP trunk to the exchange. `start` throws PortTaken if another process has the port. */
export function createSipTransport(options: SipTransportOptions): SipTransport {
  const { config, exchange, log, lookUp = createSystemLookup() } = options;
  const timers = { ...sipTimers, ...options.timers };
  const network: SipNetwork = {
    lookUp,
    lookUpService: createServiceLookup(),
    openTls: openTrustedTlsSocket,
  };
  const reports = createReports(exchange, log);
  const expect = createAnswerCall({ exchange, reports, decisionMs: timers.decision, log });
  const dialing = new Map<string, Dialing>();
  let opened: OpenUserAgent | undefined;
  let isStopping = false;

  return {
    name: 'sip',
    get port() {
      return opened?.agent.port ?? config.listen.port;
    },
    async start() {
      const notices = createNotices(log);
      opened = await openUserAgent({ settings: config, network, notices, log, timers, expect });
      await opened.register();
    },
    async place(call) {
      if (!opened || isStopping) throw new CallNotPlaced('The telephone connection is not open.');
      await placeCall({ agent: opened.agent, reports, dialing }, call);
    },
    cancel(callId) {
      dialing.get(callId)?.cancel();
    },
    async hangUpLeft(dialog) {
      if (!opened || isStopping) throw new Error('The telephone connection is not open.');
      await endLeftCall(opened.agent, dialog);
      return true;
    },
    canCallFrom: () => Promise.resolve(undefined),
    async stop() {
      if (!opened) return;
      isStopping = true;
      for (const attempt of dialing.values()) attempt.cancel();
      await opened.stop();
    },
  };
}

function createNotices(log: Log): SipNotices {
  const warnHourly = createHourlyWarnings(log);
  return {
    onMediaBlocked: (address) =>
      log.warn({ address }, 'The audio of a call is at an address that SIP_MEDIA_PEERS does not allow.'),
    onForeignRealm: (realm) =>
      log.warn({ realm }, 'A password was asked for that is not of this trunk: see SIP_REALM.'),
    onUnacknowledged: (address) =>
      warnHourly(address, { address }, 'A call was ended, because our answer to it was not acknowledged.'),
  };
}
