import { setTimeout as sleep } from 'node:timers/promises';
import ipaddr from 'ipaddr.js';
import type { AudioFormat } from './audio-format.ts';
import { answerCall, type ExpectSipCall } from './calls/answer-call.ts';
import { routeRequest } from './calls/route-request.ts';
import type { UserAgent } from './calls/user-agent.ts';
import { createMediaSession, type MediaSession } from './media/media-session.ts';
import { createPacer } from './media/pacer.ts';
import { createRtpPorts } from './media/rtp-ports.ts';
import { createOwnAddress } from './own-address.ts';
import { createPeers, withBrackets, withoutBrackets } from './peers.ts';
import { createRegistration, type Registration, startKeepAlive } from './registration.ts';
import { createSignalling } from './signalling.ts';
import type { SipLog, SipNetwork, SipNotices, SipSettings } from './sip-options.ts';
import { type SipTimers, sipTimers } from './sip-timers.ts';
import { createTlsConnection } from './tls-connection.ts';
import { localAddressTowards, openUdpSocket } from './udp-socket.ts';

export type OpenUserAgent = Awaited<ReturnType<typeof openUserAgent>>;

/** Opens our side of a SIP trunk, over UDP or TLS. Throws PortTaken if another process has the port. */
export async function openUserAgent(options: {
  settings: SipSettings;
  network: SipNetwork;
  notices: SipNotices;
  log: SipLog;
  timers?: Partial<SipTimers>;
  /** Asked about every incoming call. */
  expect: ExpectSipCall;
}) {
  const { settings, network, notices, log, expect } = options;
  const { trunk, username, password, realms } = settings;
  const timers = { ...sipTimers, ...options.timers };
  const host = withoutBrackets(settings.listen.host);
  const peers = createPeers({ ...settings, network, family: ipaddr.IPv6.isValid(host) ? 'ipv6' : 'ipv4' });
  const onError = (error: unknown) => log.debug({ err: error }, 'A packet could not be sent.');
  const onLineError = (error: unknown) => log.error({ err: error }, 'A line failed.');
  const pacer = createPacer({ onError: onLineError });
  const ports = createRtpPorts({ host, ...settings.rtpPorts, onError });
  let registration: Registration | undefined;
  let isStopping = false;
  const isAnyAddress = ['0.0.0.0', '::'].includes(host);
  const ownAddress = createOwnAddress({
    fixed: settings.publicIp ?? (isAnyAddress ? undefined : host),
    localAddressTowards,
    onChange: () => registration?.renew(),
  });

  // With TLS nothing is received there, but it makes sure that only one process of a machine uses the trunk.
  const udpSocket = await openUdpSocket({ host, port: settings.listen.port, onError });
  await peers.refresh();
  const connection =
    trunk.tls &&
    createTlsConnection({
      host: withoutBrackets(trunk.host),
      ca: settings.tlsCa,
      timers,
      log,
      openTls: network.openTls,
      locate: peers.trunk,
      onUnreachable: peers.distrust,
      onConnect: () => registration?.renew(),
    });
  const socket = connection ?? udpSocket;

  /** Calls that may be forged give way to this one if all ports are in use. */
  async function openMedia(format?: AudioFormat): Promise<MediaSession | undefined> {
    let pair = isStopping ? undefined : await ports.open();
    for (const call of agent.unconfirmed) {
      if (pair || isStopping) break;
      call.hangUp();
      pair = await ports.open();
    }
    if (!pair) return undefined;
    const { isMediaAllowed: isAllowed } = peers;
    const { onMediaBlocked: onBlocked } = notices;
    return createMediaSession({ format, ports: pair, pacer, isAllowed, onBlocked, onError: onLineError });
  }

  const agent: UserAgent = {
    settings,
    get address() {
      return ownAddress.current;
    },
    get port() {
      return socket.port;
    },
    findAddress: ownAddress.find,
    async refreshAddress(peer) {
      await connection?.ready();
      await ownAddress.refresh(peer);
    },
    peers: {
      ...peers,
      distrust(peer) {
        peers.distrust(peer);
        connection?.reset();
      },
    },
    calls: new Map(),
    unconfirmed: new Set(),
    send: (draft, handlers) => signalling.send(draft, handlers),
    transmit: (message, to) => signalling.transmit(message, to),
    openMedia,
    timers,
    log,
    notices,
  };
  const credentials = username !== undefined && password !== undefined ? { username, password } : undefined;
  const signalling = createSignalling({
    socket,
    isReliable: peers.hasConnection,
    timers,
    ...(credentials && {
      account: { credentials, isTrunk: peers.isTrunk, isTrunkUri: peers.isTrunkUri, realms },
    }),
    log,
    notices,
    sentBy: () => `${peers.hasConnection ? 'TLS' : 'UDP'} ${withBrackets(ownAddress.current)}:${socket.port}`,
    isAllowed: peers.hasConnection ? () => true : peers.isAllowed,
    isInCall: (from) => [...agent.calls.values()].some((call) => call.peerAddress === from),
    onRequest(transaction) {
      routeRequest(agent.calls, transaction, async (invite) => {
        if (isStopping) return invite.respond(503);
        await answerCall(agent, invite, expect);
      }).catch((error: unknown) => {
        log.error({ err: error }, 'A request could not be handled.');
        transaction.respond(500);
      });
    },
  });
  const stopKeepAlive = startKeepAlive(agent);

  return {
    /** For calls of ours: see calls/dial.ts. */
    agent,
    /** Registers with the trunk, if the settings say so. Resolves after the first attempt. */
    async register(): Promise<void> {
      if (!settings.isRegistering || username === undefined || isStopping) return;
      registration = createRegistration(agent, username);
      await registration.start();
    },
    /** Ends all calls and unregisters. */
    async stop(): Promise<void> {
      if (isStopping) return;
      isStopping = true;
      for (const call of agent.calls.values()) call.hangUp();
      const left = registration?.stop().catch((error: unknown) => {
        log.debug({ err: error }, 'The trunk could not be told that we leave.');
      });
      const leaving = Promise.all([left, signalling.idle(), stopKeepAlive()]);
      await Promise.race([leaving, sleep(timers.stop, undefined, { ref: false })]);
      signalling.close();
      udpSocket.close();
    },
  };
}
