import type { Direction, MediaDescription, SessionDescription } from './sdp.ts';

export type Encoding = 'pcmu' | 'pcma';

/** What both sides have agreed on. */
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
}

export interface LocalMedia {
  address: string;
  port: number;
  sessionId: number;
  version: number;
}

const eventType = 101;

/** The agreement that an offer or an answer of the other side leads to; `undefined` if there is none. */
export function agree(description: SessionDescription): Agreement | undefined {
  const audio = audioOf(description);
  if (!audio || audio.address === undefined) return undefined;
  const receive = new Map<number, Encoding>();
  let events: number | undefined;
  for (const [format, encoding] of audio.encodings) {
    const known = encodings[encoding];
    if (known) receive.set(Number(format), known);
    if (encoding === 'TELEPHONE-EVENT/8000') events ??= Number(format);
  }
  const [first] = receive;
  if (!first) return undefined;
  return {
    address: audio.address,
    port: audio.port,
    send: { payloadType: first[0], encoding: first[1] },
    receive,
    events,
    isListening: audio.direction === 'sendrecv' || audio.direction === 'recvonly',
  };
}

const encodings: Readonly<Record<string, Encoding | undefined>> = {
  'PCMU/8000': 'pcmu',
  'PCMA/8000': 'pcma',
};

function audioOf({ media }: SessionDescription): MediaDescription | undefined {
  return media.find((entry) => isAudio(entry) && entry.port !== 0);
}

function isAudio({ kind, protocol }: MediaDescription): boolean {
  return kind === 'audio' && /^RTP\/AVPF?$/.test(protocol);
}

export function writeOffer(local: LocalMedia): Buffer {
  return write(local, [
    `m=audio ${local.port} RTP/AVP 0 8 ${eventType}`,
    'a=rtpmap:0 PCMU/8000',
    'a=rtpmap:8 PCMA/8000',
    ...eventLines(eventType),
    'a=ptime:20',
    'a=sendrecv',
  ]);
}

/** Every medium that was offered is answered; all but the first audio are refused. */
export function writeAnswer(local: LocalMedia, offer: SessionDescription, agreement: Agreement): Buffer {
  const accepted = audioOf(offer);
  const lines = offer.media.flatMap((media) => {
    if (media !== accepted) return `m=${media.kind} 0 ${media.protocol} ${media.formats.join(' ') || '0'}`;
    const { payloadType, encoding } = agreement.send;
    const formats = [payloadType, ...(agreement.events === undefined ? [] : [agreement.events])];
    return [
      `m=audio ${local.port} ${media.protocol} ${formats.join(' ')}`,
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
