import type { AudioFormat } from '../audio-format.ts';
import type { MediaSession } from '../media/media-session.ts';
import { encodeUser } from '../message/sip-addresses.ts';
import type { Peer, SipHeader, SipRequest } from '../message/sip-message.ts';
import type { Peers } from '../peers.ts';
import type { SendRequest } from '../send-request.ts';
import type { SipLog, SipNotices, SipSettings } from '../sip-options.ts';
import type { SipTimers } from '../sip-timers.ts';
import type { ServerTransaction } from '../transactions/server-transactions.ts';

/** What the user agent needs of a call. */
export interface RoutedSipCall {
  /** Where our requests about this call go. */
  readonly peerAddress: string;
  /** A request of the other side about this call. */
  receive(transaction: ServerTransaction): void;
  hangUp(): void;
}

/** What calls need of the user agent. */
export interface UserAgent {
  readonly settings: Pick<SipSettings, 'trunk' | 'username' | 'srtp'>;
  /** Where others reach us. Throws until it was found. */
  readonly address: string;
  readonly port: number;
  /** Finds our address as this peer sees it. Rejects if there is no route to the peer. */
  refreshAddress(peer: Peer): Promise<void>;
  /** The same if it is not known yet. */
  findAddress(peer: Peer): Promise<void>;
  send: SendRequest;
  transmit(request: SipRequest, to: Peer): void;
  peers: Peers;
  /** The calls that are open, by their dialogs. */
  calls: Map<string, RoutedSipCall>;
  /** Calls over UDP that may be forged, oldest first: they are ended when others need their ports. */
  unconfirmed: Set<RoutedSipCall>;
  /** In this format, or in the one that fits what is agreed on. `undefined` if all ports are in use. */
  openMedia(format?: AudioFormat): Promise<MediaSession | undefined>;
  timers: SipTimers;
  log: SipLog;
  notices: SipNotices;
}

export const allow: SipHeader = {
  name: 'allow',
  value: 'INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, UPDATE, NOTIFY',
};

/** The extensions that we support. Not 100rel: a lost provisional response of ours does no harm. */
export const extensions: readonly string[] = ['timer'];

export const supported: SipHeader = { name: 'supported', value: extensions.join(', ') };

export const sdpType: SipHeader = { name: 'content-type', value: 'application/sdp' };

/** The URI of a number, or of an account, at the trunk. */
export function trunkUri({ settings: { trunk } }: Pick<UserAgent, 'settings'>, user?: string): string {
  const host = trunk.port === undefined ? trunk.host : `${trunk.host}:${trunk.port}`;
  const scheme = trunk.tls === 'sips' ? 'sips' : 'sip';
  return user === undefined ? `${scheme}:${host}` : `${scheme}:${encodeUser(user)}@${host}`;
}

/** Where the other side sends the requests of a dialog. */
export function contactOf({
  settings: { trunk, username },
  address,
  port,
}: Pick<UserAgent, 'settings' | 'address' | 'port'>): SipHeader {
  const host = address.includes(':') ? `[${address}]` : address;
  const user = username === undefined ? '' : `${encodeUser(username)}@`;
  const scheme = trunk.tls === 'sips' ? 'sips' : 'sip';
  const transport = trunk.tls === 'sip' ? ';transport=tls' : '';
  return { name: 'contact', value: `<${scheme}:${user}${host}:${port}${transport}>` };
}

/** The methods that are registered with IANA. */
const knownMethods: readonly string[] =
  'ACK BYE CANCEL INFO INVITE MESSAGE NOTIFY OPTIONS PRACK PUBLISH REFER REGISTER SUBSCRIBE UPDATE'.split(
    ' ',
  );

/** What a request is refused with whose method we do not support. */
export function refusalOf(method: string): 405 | 501 {
  return knownMethods.includes(method) ? 405 : 501;
}
