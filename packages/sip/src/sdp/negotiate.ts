import type { AudioFormat } from '../audio-format.ts';
import type { Encoding } from '../media/codec.ts';
import type { CryptoAttribute, Direction, MediaDescription, SessionDescription } from './sdp.ts';

/** Whether audio is encrypted. `optional`: we offer it, and accept calls without it. */
export type SrtpPolicy = 'required' | 'optional' | 'off';

/** What both sides have agreed on for the audio. */
export interface Agreement {
  /** Where the other side wants to receive. */
  address: string;
  port: number;
  send: { payloadType: number; encoding: Encoding };
  receive: ReadonlyMap<number, Encoding>;
  /** The payload type of digits. */
  events: number | undefined;
  /** Whether the other side wants to hear us. It does not while it has us on hold. */
  isListening: boolean;
  /** The key that the other side encrypts with; `undefined` if audio is not encrypted. */
  crypto: CryptoAttribute | undefined;
  /** The medium that was chosen of the other side's description. */
  medium: MediaDescription;
}

export interface LocalMedia {
  address: string;
  port: number;
  sessionId: number;
  version: number;
  srtp: SrtpPolicy;
  /** The format of the call, once that is final. */
  format?: AudioFormat | undefined;
  /** The key that we encrypt with, if that is agreed on. */
  srtpKey: Buffer;
}

const eventType = 101;
const offeredCrypto = { tag: 1, suite: 'AES_CM_128_HMAC_SHA1_80' } as const;

/**
 * What we can agree on, given an offer or an answer of the other side; `undefined` if nothing. We send wideband if the other side
 * takes it, whatever it prefers, unless the call began without.
 */
export function agree(
  description: SessionDescription,
  srtp: SrtpPolicy,
  format?: AudioFormat,
): Agreement | undefined {
  const audio = audioOf(description, srtp);
  if (!audio || audio.address === undefined) return undefined;
  const receive = new Map<number, Encoding>();
  let events: number | undefined;
  for (const [payloadType, encoding] of audio.encodings) {
    const known = encodings[encoding];
    if (known) receive.set(Number(payloadType), known);
    if (encoding === 'TELEPHONE-EVENT/8000') events ??= Number(payloadType);
  }
  const isWide = format !== 'mulaw-8000';
  const known = [...receive];
  const chosen = known.find(([, encoding]) => (encoding === 'g722') === isWide) ?? known[0];
  if (!chosen) return undefined;
  return {
    address: audio.address,
    port: audio.port,
    send: { payloadType: chosen[0], encoding: chosen[1] },
    receive,
    events,
    isListening: audio.direction === 'sendrecv' || audio.direction === 'recvonly',
    crypto: isEncrypted(audio) ? strongest(audio.crypto) : undefined,
    medium: audio,
  };
}

/** The same for an answer to our offer, which can only accept what was offered. */
export function agreeToAnswer(
  answer: SessionDescription,
  srtp: SrtpPolicy,
  format?: AudioFormat,
): Agreement | undefined {
  const agreement = agree(answer, srtp === 'off' ? 'off' : 'required', format);
  const { tag, suite } = agreement?.crypto ?? offeredCrypto;
  return tag === offeredCrypto.tag && suite === offeredCrypto.suite ? agreement : undefined;
}

const encodings: Readonly<Record<string, Encoding | undefined>> = {
  'PCMU/8000': 'pcmu',
  'PCMA/8000': 'pcma',
  'G722/8000': 'g722',
};

function audioOf({ media }: SessionDescription, srtp: SrtpPolicy): MediaDescription | undefined {
  const audio = media.filter(({ kind, port }) => kind === 'audio' && port !== 0);
  const encrypted =
    srtp === 'off' ? undefined : audio.find((one) => isEncrypted(one) && one.crypto.length > 0);
  const plain = srtp === 'required' ? undefined : audio.find(({ protocol }) => /^RTP\/AVPF?$/.test(protocol));
  return encrypted ?? plain;
}

function isEncrypted({ protocol }: MediaDescription): boolean {
  return /^RTP\/SAVPF?$/.test(protocol);
}

function strongest(crypto: CryptoAttribute[]): CryptoAttribute | undefined {
  return crypto.find(({ suite }) => suite === offeredCrypto.suite) ?? crypto[0];
}

function cryptoLine({ tag, suite }: Pick<CryptoAttribute, 'tag' | 'suite'>, key: Buffer): string {
  return `a=crypto:${tag} ${suite} inline:${key.toString('base64')}`;
}

export function writeOffer(local: LocalMedia): Buffer {
  const isPlain = local.srtp === 'off';
  const isWide = local.format !== 'mulaw-8000';
  return write(local, [
    `m=audio ${local.port} RTP/${isPlain ? 'AVP' : 'SAVP'} ${isWide ? '9 ' : ''}0 8 ${eventType}`,
    ...(isPlain ? [] : [cryptoLine(offeredCrypto, local.srtpKey)]),
    ...(isWide ? ['a=rtpmap:9 G722/8000'] : []),
    'a=rtpmap:0 PCMU/8000',
    'a=rtpmap:8 PCMA/8000',
    ...eventLines(eventType),
    'a=ptime:20',
    'a=sendrecv',
  ]);
}

/** Every medium that was offered is answered; all but the first audio are refused. */
export function writeAnswer(local: LocalMedia, offer: SessionDescription, agreement: Agreement): Buffer {
  const { medium, crypto } = agreement;
  const lines = offer.media.flatMap((media) => {
    if (media !== medium) return `m=${media.kind} 0 ${media.protocol} ${media.formats.join(' ') || '0'}`;
    const { payloadType, encoding } = agreement.send;
    const formats = [payloadType, ...(agreement.events === undefined ? [] : [agreement.events])];
    return [
      `m=audio ${local.port} ${media.protocol} ${formats.join(' ')}`,
      ...(crypto ? [cryptoLine(crypto, local.srtpKey)] : []),
      `a=rtpmap:${payloadType} ${encoding.toUpperCase()}/8000`,
      ...(agreement.events === undefined ? [] : eventLines(agreement.events)),
      'a=ptime:20',
      `a=${mirrored[media.direction]}`,
    ];
  });
  return write(local, lines);
}

const mirrored: Readonly<Record<Direction, Direction>> = {
  sendrecv: 'sendrecv',
  sendonly: 'recvonly',
  recvonly: 'sendonly',
  inactive: 'inactive',
};

function eventLines(type: number): string[] {
  return [`a=rtpmap:${type} telephone-event/8000`, `a=fmtp:${type} 0-15`];
}

function write({ address, sessionId, version }: LocalMedia, media: string[]): Buffer {
  const kind = address.includes(':') ? 'IP6' : 'IP4';
  const lines = [
    'v=0',
    `o=svc ${sessionId} ${version} IN ${kind} ${address}`,
    's=-',
    `c=IN ${kind} ${address}`,
    't=0 0',
    ...media,
    '',
  ];
  return Buffer.from(lines.join('\r\n'));
}
