import ipaddr from 'ipaddr.js';
import { isSrtpSuite, type SrtpSuite, srtpKeyBytes } from '../media/srtp.ts';

/** What one side can send and receive (RFC 8866). Only audio is parsed in full. */
export interface SessionDescription {
  media: MediaDescription[];
}

export interface MediaDescription {
  /** The m= line without its port, so that an answer can refuse it. */
  kind: string;
  protocol: string;
  formats: string[];
  port: number;
  address: string | undefined;
  direction: Direction;
  /** Of each format that packets can have: its encoding and clock rate, such as PCMU/8000. */
  encodings: ReadonlyMap<string, string>;
  /** The keys that its sender may encrypt with; those that we cannot use are left out. */
  crypto: CryptoAttribute[];
}

/** The key that the author of a description encrypts with (RFC 4568). */
export interface CryptoAttribute {
  tag: number;
  suite: SrtpSuite;
  key: Buffer;
}

export type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';

const maxLines = 300;
const maxMedia = 8;
const directions: readonly string[] = ['sendrecv', 'sendonly', 'recvonly', 'inactive'];
/** Encodings of formats that need no rtpmap. */
const staticEncodings: ReadonlyMap<string, string> = new Map([
  ['0', 'PCMU/8000'],
  ['8', 'PCMA/8000'],
  ['9', 'G722/8000'],
]);

/** `undefined` if it is not a description. */
export function parseSdp(body: Buffer): SessionDescription | undefined {
  const lines = body.toString('utf8').split(/\r?\n/);
  if (lines[0] !== 'v=0' || lines.length > maxLines) return undefined;
  const media: Draft[] = [];
  const session: Draft = emptyDraft();
  for (const line of lines) {
    const [, type = '', value = ''] = /^([a-z])=(.*)$/.exec(line) ?? [];
    if (type === 'm') {
      const started = parseMediaLine(value);
      if (!started || media.length === maxMedia) return undefined;
      media.push(started);
    } else readLine(media.at(-1) ?? session, type, value);
  }
  return { media: media.map((draft) => complete(draft, session)) };
}

type Draft = Omit<MediaDescription, 'direction' | 'encodings'> & {
  direction: Direction | undefined;
  encodings: Map<string, string>;
};

function emptyDraft(): Draft {
  return {
    kind: '',
    protocol: '',
    formats: [],
    port: 0,
    address: undefined,
    direction: undefined,
    encodings: new Map(),
    crypto: [],
  };
}

function parseMediaLine(value: string): Draft | undefined {
  const [, kind, port, protocol, formats] =
    /^(\w+) (\d{1,5})(?:\/\d+)? (\S+)((?: \S+)*) *$/.exec(value) ?? [];
  if (kind === undefined || protocol === undefined || Number(port) > 65_535) return undefined;
  return {
    ...emptyDraft(),
    kind,
    protocol,
    port: Number(port),
    formats: (formats ?? '').split(' ').filter(Boolean),
  };
}

function readLine(draft: Draft, type: string, value: string): void {
  if (type === 'c') {
    const [, address = ''] = /^IN IP[46] ([^\s/]+)/.exec(value) ?? [];
    if (ipaddr.isValid(address)) draft.address = ipaddr.parse(address).toString();
  }
  if (type !== 'a') return;
  if (directions.includes(value)) draft.direction = value as Direction;
  const [, format, encoding] = /^rtpmap:(\d{1,3}) (\S+)/.exec(value) ?? [];
  if (format !== undefined && encoding !== undefined) draft.encodings.set(format, encoding.toUpperCase());
  const crypto = parseCrypto(value);
  if (crypto) draft.crypto.push(crypto);
}

/** Refuses key identifiers and parameters that change how packets are encrypted: we support none of them. */
function parseCrypto(value: string): CryptoAttribute | undefined {
  const [, tag, suite = '', key = ''] =
    /^crypto:(\d{1,9}) (\S+) inline:([A-Za-z0-9+/]{40})(?:\|[\d^]+)?(?: (?:WSH=\d+|-\S+))* *$/.exec(value) ??
    [];
  if (tag === undefined || !isSrtpSuite(suite)) return undefined;
  return { tag: Number(tag), suite, key: Buffer.from(key, 'base64').subarray(0, srtpKeyBytes) };
}

function complete(draft: Draft, session: Draft): MediaDescription {
  const encodings = new Map<string, string>();
  for (const format of draft.formats) {
    const encoding = draft.encodings.get(format) ?? staticEncodings.get(format);
    if (encoding !== undefined && fitsPackets(Number(format)))
      encodings.set(format, encoding.replace(/^(\w+\/8000)\/1$/, '$1'));
  }
  const address = draft.address ?? session.address;
  // Before there was a=sendonly, phones put a call on hold with the address 0.0.0.0.
  const isUnspecified = address === '0.0.0.0' || address === '::';
  const direction = isUnspecified ? 'inactive' : (draft.direction ?? session.direction ?? 'sendrecv');
  return { ...draft, address, direction, encodings };
}

/** Payload types have seven bits, and packets with these five would look like reports about the audio (RFC 3551). */
function fitsPackets(payloadType: number): boolean {
  return payloadType <= 127 && !(payloadType >= 72 && payloadType <= 76);
}
