import type { BotSettings } from '@svc/contract/bots';
import type { AppOptions } from '../../../src/app.ts';
import type { Line, LineEnd } from '../../../src/voice/transports/transport.ts';

/** A call as the exchange sees it. */
export interface SeenCall {
  id: string;
  line: Line;
  heard: Buffer[];
  end: LineEnd | undefined;
}

/** Answers calls by writing down what it hears; the test does the rest. */
export function createTestExchange() {
  const calls: SeenCall[] = [];
  const ended: { id: string; end: LineEnd }[] = [];
  const settings = { available: true as true | string };
  const ports: NonNullable<AppOptions['webVoice']> = {
    exchange: {
      async connected(id, line) {
        const call: SeenCall = { id, line, heard: [], end: undefined };
        calls.push(call);
        line.listen({
          onAudio: (frame) => void call.heard.push(frame),
          onDigit: () => undefined,
          onEnd: (end) => {
            call.end = end;
          },
        });
      },
      async ended(id, end) {
        ended.push({ id, end });
      },
    },
    isVoiceAvailable: (_settings: BotSettings) => settings.available,
  };
  return { calls, ended, settings, ports };
}

export type TestExchange = ReturnType<typeof createTestExchange>;

/** A sine of 16-bit samples at 16 kHz. */
export function tone(milliseconds: number, hertz = 440): Buffer {
  const samples = new Int16Array(milliseconds * 16);
  for (let index = 0; index < samples.length; index++)
    samples[index] = Math.sin((2 * Math.PI * hertz * index) / 16_000) * 16_000;
  return Buffer.from(samples.buffer);
}

/** How much of it is at this frequency, compared with a full-scale sine. */
export function strengthAt(audio: Buffer, hertz: number): number {
  const samples = new Int16Array(audio.buffer, audio.byteOffset, audio.length / 2);
  let [real, imaginary] = [0, 0];
  for (const [index, sample] of samples.entries()) {
    const angle = (2 * Math.PI * hertz * index) / 16_000;
    real += sample * Math.cos(angle);
    imaginary += sample * Math.sin(angle);
  }
  return (2 * Math.hypot(real, imaginary)) / samples.length / 32_768;
}
