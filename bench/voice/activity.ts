import { setTimeout as delay } from 'node:timers/promises';
import { windowMs } from '@svc/local-speech/activity-tracker';
import { findInstalledSpeech } from '@svc/local-speech/installed';
import { createPacer } from '@svc/sip/media/pacer';
import {
  type ActivityDetection,
  createActivityDetection,
} from '../../packages/server/src/voice/activity/activity-detection.ts';
import { frameBytes, frameMs, silence } from '../../packages/server/src/voice/audio/format.ts';
import { modelFolder } from '../../packages/server/src/voice/speech/local/local-speech.ts';
import type { Section } from '../chat/section.ts';
import type { Comparison } from '../support/compare.ts';
import { percentiles } from './percentiles.ts';
import { withNoise } from './with-noise.ts';
import { makeWords } from './words.ts';

const format = 'mulaw-8000';

/** From the last packet of a window of 32 ms to the verdict whether there is speech, for lines that speak at the same time. */
export const activity: Section = async ({ quick, say }) => {
  const audio = Buffer.concat([await makeWords(), silence(format, 1_000)]);
  const comparisons: Comparison[] = [];
  for (const lines of [1, 20]) {
    const detection = createActivityDetection({
      models: findInstalledSpeech({ modelFolder }).models,
      onFailure(error) {
        throw error;
      },
    });
    try {
      const judge = (seconds: number) => judgeLines(detection, audio, lines, seconds);
      // The model is loaded with the first windows.
      await judge(2);
      const { outcome, noise } = await withNoise(() => judge(quick ? 3 : 8));
      say(`Activity: lines at once: ${lines}`);
      comparisons.push({
        title: `Voice activity, lines at once: ${lines}; ${outcome.length} windows of ${windowMs} ms`,
        results: [
          ...percentiles('last packet to verdict', outcome, {
            p50: 'no goal',
            p95: 'no goal',
            p99: { most: 100 },
          }),
          ...noise.rows,
        ],
      });
    } finally {
      detection.stop();
    }
  }
  return comparisons;
};

/** Each line has a clock of its own, as callers do. */
async function judgeLines(
  detection: ActivityDetection,
  audio: Buffer,
  lines: number,
  seconds: number,
): Promise<number[]> {
  const lags: number[] = [];
  await Promise.all(
    Array.from({ length: lines }, async (_value, line) => {
      await delay((frameMs * 7.3 * line) / lines);
      await judgeLine(detection, audio, seconds, lags);
    }),
  );
  return lags;
}

async function judgeLine(
  detection: ActivityDetection,
  audio: Buffer,
  seconds: number,
  lags: number[],
): Promise<void> {
  const frame = frameBytes(format);
  const frames = Math.floor(audio.length / frame);
  const pushedAt: number[] = [];
  let judged = 0;
  const detector = detection.open(format, ({ untilMs }) => {
    // Whichever packet had the last sample of the window.
    const packet = Math.ceil(untilMs / frameMs) - 1;
    lags.push(performance.now() - (pushedAt[packet] ?? Number.NaN));
    judged += 1;
  });
  const stop = createPacer({
    onError(error) {
      throw error;
    },
  }).add({
    play(count) {
      for (let each = 0; each < count; each += 1) {
        const at = (pushedAt.length % frames) * frame;
        pushedAt.push(performance.now());
        detector.push(audio.subarray(at, at + frame));
      }
    },
    listen: () => undefined,
  });
  await delay(seconds * 1_000);
  stop();
  await detector.settled();
  detector.close();
  if (judged === 0) throw new Error('Nothing was judged.');
}
