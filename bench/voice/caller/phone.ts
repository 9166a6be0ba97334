import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mulawToPcm } from '@svc/sip/g711';
import type { Pacer } from '@svc/sip/media/pacer';
import { parseRtp, writeRtp } from '@svc/sip/media/rtp-packet';
import { frameBytes, silence } from '../../../packages/server/src/voice/audio/format.ts';

/** The audio of one caller, and the time of every packet. Times are those of `performance.now()`. */
export interface Phone {
  readonly port: number;
  /** Sends silence from now on, and words when there are some. */
  connect(port: number): void;
  /** Resolves with the times of the first and the last packet with words. */
  say(words: Buffer): Promise<{ from: number; until: number }>;
  /** The first sound that came after this time. */
  soundAfter(time: number): Promise<number>;
  /** The last sound that has come. */
  readonly lastSoundAt: number;
  /** When each packet came, and where it belongs by its own count, in milliseconds. */
  readonly packets: { at: number; place: number }[];
  close(): void;
}

const format = 'mulaw-8000';
const frame = frameBytes(format);
const samplesPerMs = 8;
const giveUpMs = 20_000;
const host = '127.0.0.1';

export const isSound = (audio: Buffer) => mulawToPcm(audio).some((sample) => Math.abs(sample) > 1_000);

export async function createPhone(pacer: Pacer): Promise<Phone> {
  const socket = createSocket('udp4').bind(0, host);
  await once(socket, 'listening');
  const packets: Phone['packets'] = [];
  const quiet = silence(format, 20);
  let waiting: ((at: number) => void) | undefined;
  let words: { audio: Buffer; from: number; done(times: { from: number; until: number }): void } | undefined;
  let lastSoundAt = 0;
  let sequence = 0;
  let firstTimestamp: number | undefined;
  let stopPacing = () => undefined as void;

  socket.on('message', (data) => {
    const at = performance.now();
    const packet = parseRtp(data);
    if (!packet) return;
    firstTimestamp ??= packet.timestamp;
    packets.push({ at, place: ((packet.timestamp - firstTimestamp) >>> 0) / samplesPerMs });
    if (!isSound(packet.payload)) return;
    lastSoundAt = at;
    waiting?.(at);
  });

  function nextFrame(): Buffer {
    if (!words) return quiet;
    const at = performance.now();
    const payload = Buffer.concat([words.audio.subarray(0, frame), quiet], frame);
    words.audio = words.audio.subarray(frame);
    words.from ||= at;
    if (words.audio.length === 0) {
      words.done({ from: words.from, until: at });
      words = undefined;
    }
    return payload;
  }

  return {
    port: socket.address().port,
    packets,
    get lastSoundAt() {
      return lastSoundAt;
    },
    connect(port) {
      stopPacing = pacer.add({
        play(frames) {
          for (let count = 0; count < frames; count += 1) {
            const payload = nextFrame();
            const packet = {
              payloadType: 0,
              marker: false,
              sequence,
              timestamp: sequence * frame,
              source: 1,
              payload,
            };
            socket.send(writeRtp(packet), port, host);
            sequence += 1;
          }
        },
        listen: () => undefined,
      });
    },
    say(audio) {
      return new Promise((done) => {
        words = { audio, from: 0, done };
      });
    },
    soundAfter(time) {
      if (lastSoundAt > time) throw new Error('The bot spoke before it was spoken to.');
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      const limit = setTimeout(() => reject(new Error('The bot says nothing.')), giveUpMs);
      waiting = (at) => {
        if (at <= time) return;
        clearTimeout(limit);
        waiting = undefined;
        resolve(at);
      };
      return promise;
    },
    close() {
      stopPacing();
      socket.close();
    },
  };
}
