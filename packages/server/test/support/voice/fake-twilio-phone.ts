import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';

export interface StreamStart {
  url: string;
  callSid: string;
  parameters: Record<string, string>;
  signature: string;
}

export interface FakePhone {
  /** What was played to the person, in real time; silence in between is left out. */
  readonly heard: Buffer;
  /** How much is waiting to be played, in bytes, and the most that ever was. */
  readonly buffered: number;
  readonly maxBuffered: number;
  /** Everything that was received, without the audio itself. */
  readonly received: { event: string; bytes?: number; name?: string }[];
  /** Says something: whole frames in real time. Resolves when it was said. */
  say(audio: Buffer): Promise<void>;
  /** Sends any message as it is. */
  tell(message: object | string): void;
  press(digit: string): void;
  /** The stream has ended, whoever ended it. */
  readonly closed: Promise<{ code: number; reason: string }>;
  /** Ends the stream as Twilio does when the call is over or was given other instructions. */
  stop(): void;
  /** The connection breaks. */
  cut(): void;
}

const bytesPerMs = 8;
const frameSize = 160;

type Buffered = { audio: Buffer } | { mark: string };

/** The side of Twilio and of the person on the phone: it buffers and plays in real time, and returns marks as they are played. */
export async function openFakePhone({
  url,
  callSid,
  parameters,
  signature,
}: StreamStart): Promise<FakePhone> {
  const socket = new WebSocket(url, { headers: { 'x-twilio-signature': signature } });
  const closed = once(socket, 'close').then(([code, reason]) => ({ code, reason: String(reason) }));
  await once(socket, 'open');
  const streamSid = `MZ${callSid.slice(2)}`;
  const heard: Buffer[] = [];
  const received: FakePhone['received'] = [];
  let buffer: Buffered[] = [];
  let sequence = 0;
  let chunk = 0;
  let maxBuffered = 0;
  const openedAt = performance.now();
  let playedAt = openedAt;

  const tell = (message: object | string) => {
    if (socket.readyState !== socket.OPEN) return;
    sequence += 1;
    const text = { sequenceNumber: String(sequence), streamSid, ...(message as object) };
    socket.send(typeof message === 'string' ? message : JSON.stringify(text));
  };

  const waiting = () => buffer.reduce((sum, one) => sum + ('audio' in one ? one.audio.length : 0), 0);

  function play(): void {
    const time = performance.now();
    let room = Math.floor((time - playedAt) * bytesPerMs);
    playedAt += room / bytesPerMs;
    for (let [next] = buffer; next; [next] = buffer) {
      if ('mark' in next) {
        tell({ event: 'mark', mark: { name: next.mark } });
        buffer.shift();
        continue;
      }
      const part = next.audio.subarray(0, room);
      if (part.length > 0) heard.push(part);
      room -= part.length;
      if (part.length < next.audio.length) {
        next.audio = next.audio.subarray(part.length);
        return;
      }
      buffer.shift();
    }
  }

  const playing = setInterval(play, 10);
  void closed.then(() => clearInterval(playing));
  socket.on('message', (data: Buffer) => {
    // What was missed before something came is not made up for.
    play();
    const message = JSON.parse(data.toString()) as {
      event: string;
      media?: { payload: string };
      mark?: { name: string };
    };
    if (message.event === 'media') {
      const audio = Buffer.from(message.media?.payload ?? '', 'base64');
      received.push({ event: 'media', bytes: audio.length });
      buffer.push({ audio });
      maxBuffered = Math.max(maxBuffered, waiting());
    } else if (message.event === 'mark') {
      const name = message.mark?.name ?? '';
      received.push({ event: 'mark', name });
      buffer.push({ mark: name });
    } else {
      received.push({ event: message.event });
      const marks = buffer.flatMap((one) => ('mark' in one ? [one.mark] : []));
      buffer = [];
      for (const name of marks) tell({ event: 'mark', mark: { name } });
    }
  });
  socket.on('error', () => socket.terminate());

  tell({ event: 'connected', protocol: 'Call', version: '1.0.0' });
  tell({
    event: 'start',
    start: {
      streamSid,
      accountSid: 'AC',
      callSid,
      tracks: ['inbound'],
      customParameters: parameters,
      mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
    },
  });

  return {
    get heard() {
      return Buffer.concat(heard);
    },
    get buffered() {
      return waiting();
    },
    get maxBuffered() {
      return maxBuffered;
    },
    received,
    async say(audio) {
      const startedAt = performance.now();
      for (let start = 0; start < audio.length; start += frameSize) {
        chunk += 1;
        const timestamp = String(Math.round(startedAt - openedAt + start / bytesPerMs));
        const payload = audio.subarray(start, start + frameSize).toString('base64');
        tell({ event: 'media', media: { track: 'inbound', chunk: String(chunk), timestamp, payload } });
        const ahead = startedAt + (start + frameSize) / bytesPerMs - performance.now();
        if (ahead > 0) await sleep(ahead);
      }
    },
    tell,
    press: (digit) => tell({ event: 'dtmf', dtmf: { track: 'inbound_track', digit } }),
    closed,
    stop() {
      tell({ event: 'stop', stop: { accountSid: 'AC', callSid } });
      socket.close();
    },
    cut: () => socket.terminate(),
  };
}
