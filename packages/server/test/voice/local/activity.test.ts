import type { Activity } from '@svc/local-speech/activity-tracker';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type ActivityDetection,
  createActivityDetection,
} from '../../../src/voice/activity/activity-detection.ts';
import { type AudioFormat, frameBytes, sampleRateOf, silence } from '../../../src/voice/audio/format.ts';
import { encodeAudio } from '../../../src/voice/audio/line-audio.ts';
import { createLocalSpeech } from '../../../src/voice/speech/local/local-speech.ts';
import { speak } from '../../support/voice/speech-files.ts';

const speech = createLocalSpeech({ log: { warn: vi.fn() } });
const { models } = speech.installed;
const byLoudness = createActivityDetection();
const formats: AudioFormat[] = ['mulaw-8000', 'pcm16-16000'];
const spoken = new Map<string, Buffer>();

beforeAll(async () => {
  for (const format of formats) {
    const options = { format, beforeMs: 1_000, afterMs: 1_000 };
    spoken.set(`sentence ${format}`, await speak(speech, 'I would like to order a pizza, please.', options));
    spoken.set(`mhm ${format}`, await speak(speech, 'mhm', options));
  }
});
afterAll(() => speech.stop());

/** What the detector says of every window. */
async function judge(detection: ActivityDetection, format: AudioFormat, audio: Buffer): Promise<Activity[]> {
  const seen: Activity[] = [];
  const detector = detection.open(format, (activity) => seen.push(activity));
  for (let start = 0; start < audio.length; start += frameBytes(format)) {
    detector.push(audio.subarray(start, start + frameBytes(format)));
  }
  await detector.settled();
  detector.close();
  return seen;
}

/** Sound made by a formula of the time in seconds, with a second of silence around it. */
function sound(format: AudioFormat, seconds: number, formula: (time: number) => number): Buffer {
  const rate = sampleRateOf(format);
  const samples = Int16Array.from(
    { length: rate * seconds },
    (_value, index) => 32_767 * formula(index / rate),
  );
  return Buffer.concat([silence(format, 1_000), encodeAudio(format, samples), silence(format, 1_000)]);
}

/** The same numbers every time. */
function createNoise(): () => number {
  let state = 12_345;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 1_073_741_824 - 1;
  };
}

const noise = createNoise();
const sine = (frequency: number, time: number) => Math.sin(2 * Math.PI * frequency * time);
const longest = (seen: Activity[]) => Math.max(...seen.map(({ speechMs }) => speechMs));

describe.each([
  ['by a model', speech.activity],
  ['by loudness', byLoudness],
] as const)('voice activity %s', (_name, detection) => {
  describe.each(formats)('of %s', (format) => {
    it('begins and ends with the speech', async () => {
      const seen = await judge(detection, format, spoken.get(`sentence ${format}`) ?? Buffer.alloc(0));
      const first = seen.find(({ isSpeech }) => isSpeech)?.untilMs ?? 0;
      const last = seen.findLast(({ silenceMs }) => silenceMs === 0)?.untilMs ?? 0;
      const end = seen.at(-1)?.untilMs ?? 0;
      expect(first).toBeGreaterThanOrEqual(1_000);
      expect(first).toBeLessThan(1_250);
      expect(end - last).toBeGreaterThan(900);
      expect(end - last).toBeLessThan(1_500);
      expect(longest(seen)).toBeGreaterThan(300);
      expect(seen.at(-1)).toMatchObject({ isSpeech: false, speechMs: 0 });
    });

    it('hears a short word', async () => {
      const seen = await judge(detection, format, spoken.get(`mhm ${format}`) ?? Buffer.alloc(0));
      expect(longest(seen)).toBeGreaterThanOrEqual(96);
    });

    it.each([
      ['silence', () => 0],
      ['the noise of a line', () => 0.004 * noise()],
      ['clicks of a keyboard', (time: number) => (time % 0.16 < 0.008 ? 0.5 * noise() : 0)],
      ['the tone of a key', (time: number) => 0.2 * (sine(770, time) + sine(1_336, time))],
    ])('does not take %s for speech', async (_what, formula) => {
      const seen = await judge(detection, format, sound(format, 2, formula));
      expect(longest(seen)).toBeLessThan(96);
    });
  });
});

it('judges lines that speak at the same time as if each were alone', async () => {
  const lines = formats.flatMap((format) =>
    [0, 700, 320].map((laterMs) => ({
      format,
      audio: Buffer.concat([silence(format, laterMs), spoken.get(`sentence ${format}`) ?? Buffer.alloc(0)]),
    })),
  );
  const together = await Promise.all(lines.map(({ format, audio }) => judge(speech.activity, format, audio)));
  for (const [index, { format, audio }] of lines.entries()) {
    expect(longest(together[index] ?? [])).toBeGreaterThan(300);
    expect(together[index]).toEqual(await judge(speech.activity, format, audio));
  }
});

it('continues by loudness when the model fails', async () => {
  if (!models) throw new Error('The model is not installed.');
  const onFailure = vi.fn();
  const broken = { ...models, activity: `${models.activity}.missing` };
  const detection = createActivityDetection({ models: broken, onFailure });
  const audio = spoken.get('sentence mulaw-8000') ?? Buffer.alloc(0);
  expect(await judge(detection, 'mulaw-8000', audio)).toEqual(await judge(byLoudness, 'mulaw-8000', audio));
  expect(onFailure).toHaveBeenCalledTimes(1);
  detection.stop();
});

it('continues by loudness when it is stopped', async () => {
  if (!models) throw new Error('The model is not installed.');
  const detection = createActivityDetection({ models });
  const seen: Activity[] = [];
  const detector = detection.open('mulaw-8000', (activity) => seen.push(activity));
  detector.push(silence('mulaw-8000', 320));
  detection.stop();
  await detector.settled();
  detector.push(silence('mulaw-8000', 320));
  expect(seen).toHaveLength(20);
  detector.close();
  detector.push(silence('mulaw-8000', 320));
  expect(seen).toHaveLength(20);
});
