import type { TrunkAddress } from '../../../../config/voice-config.ts';
import type { WarnHourly } from '../../../../lib/hourly-warnings.ts';
import type { Log } from '../../../../lib/log.ts';
import type { MediaSession } from '../media/media-session.ts';
import { encodeUser } from '../message/sip-addresses.ts';
import type { Peer, SipHeader, SipRequest } from '../message/sip-message.ts';
import type { Peers } from '../peers.ts';
import type { SrtpPolicy } from '../sdp/negotiate.ts';
import type { SendRequest } from '../send-request.ts';
import type { SipTimers } from '../sip-timers.ts';
import type { ServerTransaction } from '../transactions/server-transactions.ts';

/** What the transport needs of a call. */
export interface OpenCall {
  /** Where our requests about this call go. */
  readonly peerAddress: string;
  /** A request of the other side about this call. */
  receive(transaction: ServerTransaction): void;
  hangUp(): void;
}

/** What calls need of the transport. */
export interface UserAgent {
  readonly trunk: TrunkAddress;
  readonly username: string | undefined;
  /** Where others reach us. Throws until it was found. */
  readonly address: string;
  /** Finds our address as this peer sees it. Rejects if there is no way to the peer. */
  refreshAddress(peer: Peer): Promise<void>;
  /** The same if it is not known yet. */
  findAddress(peer: Peer): Promise<void>;
  readonly port: number;
  readonly srtp: SrtpPolicy;
  send: SendRequest;
  transmit(request: SipRequest, to: Peer): void;
  peers: Peers;
  /** The calls that are open, by their dialogs. */
  calls: Map<string, OpenCall>;
  /** Those over UDP whose callers may have forged them, oldest first: they give way to others. */
  unconfirmed: Set<OpenCall>;
  /** `undefined` if all ports are in use. */
  openMedia(): Promise<MediaSession | undefined>;
  timers: SipTimers;
  log: Log;
  warnHourly: WarnHourly;
}

export const allow: SipHeader = {
  name: 'allow',
  value: 'INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, UPDATE, NOTIFY',
};

/** What of the extensions we know. Not 100rel: provisional responses of ours matter to nobody, so they are never repeated. */
export const extensions: readonly string[] = ['timer'];

export const supported: SipHeader = { name: 'supported', value: extensions.join(', ') };

export const sdpType: SipHeader = { name: 'content-type', value: 'application/sdp' };

/** The address of a number, or of an account, at the trunk. */
export function trunkUri({ trunk }: Pick<UserAgent, 'trunk'>, user?: string): string {
  const host = trunk.port === undefined ? trunk.host : `${trunk.host}:${trunk.port}`;
  const scheme = trunk.tls === 'sips' ? 'sips' : 'sip';
  return user === undefined ? `${scheme}:${host}` : `${scheme}:${encodeUser(user)}@${host}`;
}

/** Where the other side sends the requests of a dialog. */
export function contactOf({
  trunk,
  username,
  address,
  port,
}: Pick<UserAgent, 'trunk' | 'username' | 'address' | 'port'>): SipHeader {
  const host = address.includes(':') ? `[${address}]` : address;
  const user = username === undefined ? '' : `${encodeUser(username)}@`;
  const scheme = trunk.tls === 'sips' ? 'sips' : 'sip';
  const transport = trunk.tls === 'sip' ? ';transport=tls' : '';
  return { name: 'contact', value: `<${scheme}:${user}${host}:${port}${transport}>` };
}
