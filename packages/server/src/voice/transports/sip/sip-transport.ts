import ipaddr from 'ipaddr.js';
import type { SipConfig } from '../../../config/voice-config.ts';
import { createServiceLookup } from '../../../egress/service-lookup.ts';
import { createSystemLookup, type SystemLookup } from '../../../egress/system-lookup.ts';
import { createHourlyWarnings } from '../../../lib/hourly-warnings.ts';
import type { Log } from '../../../lib/log.ts';
import { type Repetition, repeat } from '../../../lib/repeat.ts';
import { createPacer } from '../../audio/pacer.ts';
import { CallNotPlaced, type Exchange, type VoiceTransport } from '../call-transport.ts';
import { answerCall } from './calls/answer-call.ts';
import type { Dialing } from './calls/dial.ts';
import { placeCall } from './calls/place-call.ts';
import { createReports } from './calls/reports.ts';
import { routeRequest } from './calls/route-request.ts';
import type { UserAgent } from './calls/user-agent.ts';
import { createKeepAlive } from './keep-alive.ts';
import { createMediaSession } from './media/media-session.ts';
import { createRtpPorts } from './media/rtp-ports.ts';
import { createOwnAddress } from './own-sip-address.ts';
import { createPeers, withBrackets, withoutBrackets } from './peers.ts';
import { createRegistration, type Registration } from './registration.ts';
import { createSignalling, type Signalling } from './signalling.ts';
import { type SipTimers, sipTimers } from './sip-timers.ts';
import { createTlsConnection, type TlsConnection } from './tls-connection.ts';
import { localAddressTowards, openUdpSocket, type UdpSocket } from './udp-socket.ts';

export interface SipTransportOptions {
  config: SipConfig;
  exchange: Exchange;
  log: Log;
  timers?: Partial<SipTimers>;
  lookUp?: SystemLookup;
}

/** The port that was bound, for those who let the system choose it. */
export interface SipTransport extends VoiceTransport {
  readonly port: number;
}

/** Our user agent for a SIP trunk, over UDP or TLS. `start` throws PortTaken if another process has the port. */
export function createSipTransport(options: SipTransportOptions): SipTransport {
  const { config, exchange, log, lookUp = createSystemLookup() } = options;
  const timers = { ...sipTimers, ...options.timers };
  const host = withoutBrackets(config.listen.host);
  const family = ipaddr.IPv6.isValid(host) ? 'ipv6' : 'ipv4';
  const { trunk, allowedPeers, mediaPeers, realms, srtp, username, password, isRegistering } = config;
  const lookUpService = createServiceLookup();
  const peers = createPeers({ trunk, allowedPeers, mediaPeers, lookUp, lookUpService, family });
  const onError = (error: unknown) => log.debug({ err: error }, 'A packet could not be sent.');
  const onLineError = (error: unknown) => log.error({ err: error }, 'A line failed.');
  const pacer = createPacer({ onError: onLineError });
  const ports = createRtpPorts({ host, ...config.rtpPorts, onError });
  const reports = createReports(exchange, log);
  const dialing = new Map<string, Dialing>();
  const unconfirmed: UserAgent['unconfirmed'] = new Set();
  let agent: UserAgent | undefined;
  let signalling: Signalling | undefined;
  let registration: Registration | undefined;
  let keepingAlive: Repetition | undefined;
  let lock: UdpSocket | undefined;
  let isStopping = false;
  const isAnyAddress = ['0.0.0.0', '::'].includes(host);
  const ownAddress = createOwnAddress({
    fixed: config.publicIp ?? (isAnyAddress ? undefined : host),
    localAddressTowards,
    onChange: () => registration?.renew(),
  });

  async function openMedia() {
    let pair = isStopping ? undefined : await ports.open();
    for (const call of unconfirmed) {
      if (pair || isStopping) break;
      call.hangUp();
      pair = await ports.open();
    }
    return (
      pair &&
      createMediaSession({
        ports: pair,
        pacer,
        isAllowed: peers.isMediaAllowed,
        onBlocked: (address) =>
          log.warn({ address }, 'The audio of a call is at an address that SIP_MEDIA_PEERS does not allow.'),
        onError: onLineError,
      })
    );
  }

  function openConnection(): TlsConnection {
    return createTlsConnection({
      host: withoutBrackets(trunk.host),
      ca: config.tlsCa,
      timers,
      log,
      locate: peers.trunk,
      onUnreachable: peers.distrust,
      onConnect: () => registration?.renew(),
    });
  }

  async function open(): Promise<UserAgent> {
    // With TLS nothing is received there, but still only one process of a machine has the trunk.
    const udpSocket = await openUdpSocket({ host, port: config.listen.port, onError });
    await peers.refresh();
    const connection = trunk.tls && openConnection();
    const socket = connection ?? udpSocket;
    const current: UserAgent = {
      trunk,
      username,
      get address() {
        return ownAddress.current;
      },
      findAddress: ownAddress.find,
      async refreshAddress(peer) {
        await connection?.ready();
        await ownAddress.refresh(peer);
      },
      get port() {
        return socket.port;
      },
      srtp,
      peers: {
        ...peers,
        distrust(peer) {
          peers.distrust(peer);
          connection?.reset();
        },
      },
      calls: new Map(),
      unconfirmed,
      send: (draft, handlers) => messages.send(draft, handlers),
      transmit: (message, to) => messages.transmit(message, to),
      openMedia,
      timers,
      log,
      warnHourly: createHourlyWarnings(log),
    };
    const messages = createSignalling({
      socket,
      isReliable: peers.hasConnection,
      timers,
      ...(username !== undefined &&
        password !== undefined && {
          account: {
            credentials: { username, password },
            isTrunk: peers.isTrunk,
            isTrunkUri: peers.isTrunkUri,
            realms,
          },
        }),
      log,
      sentBy: () =>
        `${peers.hasConnection ? 'TLS' : 'UDP'} ${withBrackets(ownAddress.current)}:${socket.port}`,
      isAllowed: peers.hasConnection ? () => true : peers.isAllowed,
      isInCall: (from) => [...current.calls.values()].some((call) => call.peerAddress === from),
      onRequest(transaction) {
        routeRequest(current.calls, transaction, async (invite) => {
          if (isStopping) return invite.respond(503);
          await answerCall({ agent: current, exchange, reports }, invite);
        }).catch((error: unknown) => {
          log.error({ err: error }, 'A request could not be handled.');
          transaction.respond(500);
        });
      },
    });
    keepingAlive = repeat({
      name: 'sip keep-alive',
      everyMilliseconds: timers.keepAlive,
      log,
      work: createKeepAlive(current),
    });
    signalling = messages;
    lock = udpSocket;
    return current;
  }

  return {
    name: 'sip',
    get port() {
      return agent?.port ?? config.listen.port;
    },
    async start() {
      agent = await open();
      if (!isRegistering || username === undefined) return;
      registration = createRegistration(agent, username);
      await registration.start();
    },
    async place(call) {
      if (!agent || isStopping) throw new CallNotPlaced('The telephone connection is not open.');
      await placeCall({ agent, reports, dialing }, call);
    },
    cancel(callId) {
      dialing.get(callId)?.cancel();
    },
    canCallFrom: () => Promise.resolve(undefined),
    async stop() {
      if (!signalling || isStopping) return;
      isStopping = true;
      for (const attempt of dialing.values()) attempt.cancel();
      for (const call of agent?.calls.values() ?? []) call.hangUp();
      const left = registration?.stop().catch((error: unknown) => {
        log.debug({ err: error }, 'The trunk was not told that we leave.');
      });
      const leaving = Promise.all([left, signalling.idle(), keepingAlive?.stop()]);
      const limit = Promise.withResolvers<void>();
      const timer = setTimeout(limit.resolve, timers.stop);
      await Promise.race([leaving, limit.promise]);
      clearTimeout(timer);
      signalling.close();
      lock?.close();
    },
  };
}
