/** What arrives on the WebSocket of a call. */
export type MediaMessage =
  | { event: 'start'; streamSid: string; callSid: string; parameters: Record<string, string> }
  | { event: 'media'; chunk: number; timestampMs: number; audio: Buffer }
  | { event: 'mark'; name: string }
  | { event: 'dtmf'; digit: string }
  | { event: 'stop' }
  /** Anything else, which is ignored. */
  | { event: 'other' };

const other = { event: 'other' } as const;

/** Undefined if it is not a message at all. */
export function readMediaMessage(text: string): MediaMessage | undefined {
  const message = fieldsOf(parse(text));
  if (!message || typeof message['event'] !== 'string') return undefined;
  switch (message['event']) {
    case 'start':
      return readStart(fieldsOf(message['start']));
    case 'media':
      return readMedia(fieldsOf(message['media']));
    case 'mark': {
      const name = fieldsOf(message['mark'])?.['name'];
      return typeof name === 'string' ? { event: 'mark', name } : other;
    }
    case 'dtmf': {
      const digit = fieldsOf(message['dtmf'])?.['digit'];
      return typeof digit === 'string' && /^[0-9*#A-D]$/.test(digit) ? { event: 'dtmf', digit } : other;
    }
    case 'stop':
      return { event: 'stop' };
    default:
      return other;
  }
}

type Fields = Record<string, unknown>;

function readStart(start: Fields | undefined): MediaMessage | undefined {
  const { streamSid, callSid, mediaFormat, customParameters } = start ?? {};
  const { encoding, sampleRate } = fieldsOf(mediaFormat) ?? {};
  // The ids become part of addresses.
  if (typeof streamSid !== 'string' || !/^\w{1,64}$/.test(streamSid)) return undefined;
  if (typeof callSid !== 'string' || !/^CA[0-9a-fA-F]{32}$/.test(callSid)) return undefined;
  if (encoding !== 'audio/x-mulaw' || Number(sampleRate) !== 8_000) return undefined;
  const given = Object.entries(fieldsOf(customParameters) ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return { event: 'start', streamSid, callSid, parameters: Object.fromEntries(given) };
}

function readMedia(media: Fields | undefined): MediaMessage {
  const { track = 'inbound', payload, chunk, timestamp } = media ?? {};
  const [number, timestampMs] = [Number(chunk), Number(timestamp)];
  if (track !== 'inbound' || typeof payload !== 'string') return other;
  if (!Number.isSafeInteger(number) || !Number.isSafeInteger(timestampMs)) return other;
  return { event: 'media', chunk: number, timestampMs, audio: Buffer.from(payload, 'base64') };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // The connection is closed.
  }
}

function fieldsOf(value: unknown): Fields | undefined {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : undefined;
}
