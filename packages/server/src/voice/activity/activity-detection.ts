import { type Activity, createActivityTracker, windowMs } from '@svc/local-speech/activity-tracker';
import type { ModelFiles } from '@svc/local-speech/model-files';
import { createSilero, type Silero, type SileroOptions } from '@svc/local-speech/silero';
import { type AudioFormat, sampleRateOf } from '../audio/format.ts';
import { decodeAudio } from '../audio/line-audio.ts';
import { createEnergyJudge } from './energy.ts';

/** Called for every window of 32 ms, in order, with its samples. */
export type ActivityListener = (activity: Activity, samples: Int16Array) => void;

export type ActivityDetection = ReturnType<typeof createActivityDetection>;

export type ActivityDetectionOptions = Omit<SileroOptions, 'models'> & {
  /** Left out: by loudness alone. */
  models?: ModelFiles | undefined;
  onFailure?(error: Error): void;
};

/** Windows that wait for the model: more than this are judged by loudness. */
const maxWaiting = 2_000;

interface Waiting {
  samples: Int16Array;
  byLoudness: number;
}

/** Voice activity detection for all calls: by a model if it is installed, else by loudness. */
export function createActivityDetection(options: ActivityDetectionOptions = {}) {
  const { models, onFailure, ...sileroOptions } = options;
  const silero = models && createSilero({ models, ...sileroOptions });
  /** The windows of each line that wait for the model. */
  const lines = new Set<() => number>();
  let isStopping = false;

  /** Detects speech on a line. */
  function open(format: AudioFormat, onActivity: ActivityListener = () => undefined) {
    const sampleRate = sampleRateOf(format);
    const windowLength = (sampleRate * windowMs) / 1_000;
    const loudness = createEnergyJudge(sampleRate);
    const track = createActivityTracker();
    let activity: Activity = { isSpeech: false, speechMs: 0, silenceMs: 0, untilMs: 0 };
    let rest = new Int16Array();
    let waiting: Waiting[] = [];
    let isClosed = false;
    const settling: (() => void)[] = [];

    function decide(samples: Int16Array, probability: number): void {
      if (isClosed) return;
      activity = track(probability);
      onActivity(activity, samples);
    }

    function settle(): void {
      for (const resolve of settling.splice(0)) resolve();
    }

    function decideAllByLoudness(): void {
      line = undefined;
      for (const { samples, byLoudness } of waiting.splice(0)) decide(samples, byLoudness);
      settle();
    }

    let line: ReturnType<Silero['open']> | undefined = silero?.open(sampleRate, {
      onProbability(probability) {
        const next = waiting.shift();
        if (next) decide(next.samples, probability);
        if (waiting.length === 0) settle();
      },
      onFailure(error) {
        if (!isStopping) onFailure?.(error);
        decideAllByLoudness();
      },
    });

    function judge(samples: Int16Array): void {
      const byLoudness = loudness(samples);
      if (line && waiting.length >= maxWaiting) {
        line.close();
        decideAllByLoudness();
      }
      if (!line) {
        decide(samples, byLoudness);
        return;
      }
      waiting.push({ samples, byLoudness });
      line.judge(samples);
    }

    const lagMs = () => waiting.length * windowMs;
    lines.add(lagMs);

    return {
      /** How much of the audio is not judged yet. */
      get lagMs(): number {
        return lagMs();
      },
      /** How long ago the last sound of speech was, as far as the audio was judged. */
      get silenceMs(): number {
        return activity.silenceMs;
      },
      /** The line's audio, in order, of any length. Answers with what is known by now, which may be a few milliseconds behind. */
      push(audio: Buffer): Activity {
        if (isClosed) return activity;
        const samples = decodeAudio(format, audio);
        const all = new Int16Array(rest.length + samples.length);
        all.set(rest);
        all.set(samples, rest.length);
        let start = 0;
        for (; start + windowLength <= all.length; start += windowLength) {
          judge(all.slice(start, start + windowLength));
        }
        rest = all.slice(start);
        return activity;
      },
      /** Resolves when everything that was pushed is judged, except for the beginning of a window. */
      settled: (): Promise<void> =>
        waiting.length === 0 ? Promise.resolve() : new Promise((resolve) => settling.push(resolve)),
      /** Repeated calls do nothing. */
      close(): void {
        isClosed = true;
        lines.delete(lagMs);
        line?.close();
        line = undefined;
        waiting = [];
        settle();
      },
    };
  }

  return {
    open,
    /** How far the line that waits longest is behind. */
    get lagMs(): number {
      return Math.max(0, ...[...lines].map((lagMs) => lagMs()));
    },
    /** Ends the model's process. Open detectors continue by loudness. */
    stop(): void {
      isStopping = true;
      silero?.stop();
      isStopping = false;
    },
  };
}
