import { resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createActivityTracker, windowMs } from '../src/activity-tracker.ts';
import { findInstalledSpeech } from '../src/installed.ts';
import { createListener } from '../src/listener.ts';
import { createRecogniser } from '../src/recogniser.ts';
import { joinSamples } from '../src/resample.ts';
import { createSilero } from '../src/silero.ts';
import { createSynthesizer } from '../src/synthesizer.ts';

// What `npm test` and `npm run voice:install` unpack.
const modelFolder = resolve(import.meta.dirname, '../../server/optional/node_modules');
const { programs, models, why } = findInstalledSpeech({ modelFolder });
if (programs.length === 0 || !models) throw new Error(why);
const runFairly = <Result>(_group: string, _signal: AbortSignal, work: () => Promise<Result>) => work();
const recogniser = createRecogniser({ models, runFairly });
// On a busy machine the model takes as long to load as it likes.
const silero = createSilero({ models, stuckAfterMs: 480_000 });
afterAll(() => {
  recogniser.stop();
  silero.stop();
});

const sampleRate = 16_000;
const length = (sampleRate * windowMs) / 1_000;
const seconds = (count: number) => new Int16Array(sampleRate * count);

it('what is spoken is told from silence and understood', async () => {
  const say = createSynthesizer({ programs, runFairly });
  const spoken: Int16Array[] = [];
  const text = 'Can you tell me when my order will arrive?';
  const sentence = { text, sampleRate, speaker: 'caller' };
  await say(sentence, (samples) => spoken.push(samples), new AbortController().signal);
  const audio = joinSamples([seconds(1), ...spoken, seconds(1)]);
  const windows = Array.from({ length: Math.floor(audio.length / length) }, (_value, index) =>
    audio.slice(index * length, (index + 1) * length),
  );

  const probabilities: number[] = [];
  const failures: Error[] = [];
  const line = silero.open(sampleRate, {
    onProbability: (probability) => probabilities.push(probability),
    onFailure: (error) => failures.push(error),
  });
  for (const window of windows) line.judge(window);
  await expect.poll(() => probabilities.length + failures.length).toBe(windows.length);
  line.close();
  expect(failures).toEqual([]);
  const track = createActivityTracker();
  const activities = probabilities.map(track);
  expect(activities.slice(0, 25).some(({ isSpeech }) => isSpeech)).toBe(false);
  expect(activities.filter(({ isSpeech }) => isSpeech).length * windowMs).toBeGreaterThan(1_000);

  const heard: string[] = [];
  const listener = createListener(
    { recogniser, sampleRate },
    {
      onPartial: () => undefined,
      onFinal: (final) => heard.push(final.toLowerCase()),
      onFailure: (error) => heard.push(error.message),
    },
  );
  for (const [index, window] of windows.entries()) {
    const activity = activities[index];
    if (activity) listener.add(activity, window);
  }
  await listener.idle();
  listener.close();
  expect(heard.join(' ')).toMatch(/my order will arrive/);
});
