import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { findInstalledSpeech, type InstalledSpeech } from '@svc/local-speech/installed';
import { createListener } from '@svc/local-speech/listener';
import { LocalSpeechFailed, type RunFairly, SpeechNotInstalled } from '@svc/local-speech/local-speech';
import { createRecogniser, type Recogniser } from '@svc/local-speech/recogniser';
import { createSynthesizer } from '@svc/local-speech/synthesizer';
import { createFairQueue, TooManyWaiting, type WaitingLimits } from '../../../lib/fair-queue.ts';
import { voiceInstallCommand } from '../../../lib/installation.ts';
import type { Log } from '../../../lib/log.ts';
import { type ActivityDetection, createActivityDetection } from '../../activity/activity-detection.ts';
import { sampleRateOf } from '../../audio/format.ts';
import { encodeAudio } from '../../audio/line-audio.ts';
import {
  type ListeningOptions,
  SpeechFailed,
  type SpeechToText,
  type TextToSpeech,
  type TranscriptEvents,
} from '../speech.ts';

/** Where `npm run voice:install` unpacks the models: scripts/lib/voice-packages.mjs. */
export const modelFolder = fileURLToPath(new URL('../../../../optional/node_modules', import.meta.url));

/**
 * Speech without a key, and the detection of voice activity, which every call uses. Loads nothing: models are loaded with the first call
 * that uses them.
 */
export function createLocalSpeech(options: { log: Pick<Log, 'warn'>; installed?: InstalledSpeech }) {
  const { log, installed = findInstalledSpeech({ modelFolder }) } = options;
  const { models } = installed;
  const worst = createRecentMaximum(lagRememberedMs);
  const recogniser =
    models && createRecogniser({ models, runFairly: recognitionQueue(), onRecognised: worst.note });
  const activity = createActivityDetection({
    models,
    onFailure: (error) => log.warn({ err: error }, 'Voice activity is now told by loudness.'),
  });
  return {
    installed,
    activity,
    textToSpeech: createLocalTextToSpeech(installed),
    speechToText: createLocalSpeechToText({ recogniser, activity, worst }),
    /** Ends the processes of the models. */
    stop(): void {
      recogniser?.stop();
      activity.stop();
    },
  };
}

/** A pause between two sentences does not mean that the processor has become free. */
const lagRememberedMs = 10_000;

type RecentMaximum = ReturnType<typeof createRecentMaximum>;

/** The largest value of the last seconds. */
export function createRecentMaximum(forMs: number, now = () => performance.now()) {
  let kept: { value: number; at: number }[] = [];
  return {
    note(value: number): void {
      const at = now();
      // A smaller value before a larger one no longer matters.
      kept = [...kept.filter((one) => one.value > value && one.at > at - forMs), { value, at }];
    },
    get current(): number {
      const at = now();
      return kept.find((one) => one.at > at - forMs)?.value ?? 0;
    },
  };
}

/** One recording at a time; calls alternate. */
export const recognitionQueue = () =>
  createRunFairly(1, { perGroup: 10, total: 200 }, 'Too much waits to be recognised.');

function createRunFairly(concurrency: number, limits: WaitingLimits, refusal: string): RunFairly {
  const queue = createFairQueue({ concurrency });
  return async (group, signal, work) => {
    try {
      return await queue.run(group, signal, work, limits);
    } catch (error) {
      throw error instanceof TooManyWaiting ? new LocalSpeechFailed(refusal) : error;
    }
  };
}

/** Speaks with programs of the system that need no key. */
function createLocalTextToSpeech({ programs }: Pick<InstalledSpeech, 'programs'>): TextToSpeech {
  // Two programs at a time; calls alternate.
  const runFairly = createRunFairly(2, { perGroup: 20, total: 200 }, 'Too much waits to be spoken.');
  const synthesize = createSynthesizer({ programs, runFairly });
  const voices = programs.flatMap((program) => [...program.voices]);
  return {
    provider: 'local',
    languages: [...new Set(voices.map(({ language }) => language.slice(0, 2)))],
    listVoices: async () => voices,
    open({ format, voice, language }) {
      const speaker = randomUUID();
      const closed = new AbortController();
      return {
        async say(text, onAudio, signal) {
          const sentence = { text, voice, language, sampleRate: sampleRateOf(format), speaker };
          const ended = AbortSignal.any([signal, closed.signal]);
          try {
            await synthesize(sentence, (samples) => onAudio(encodeAudio(format, samples)), ended);
          } catch (error) {
            throw failureOf(error);
          }
        },
        close: () => closed.abort(new SpeechFailed('The speaker was closed.')),
      };
    },
  };
}

/** Audio that waits longer to be judged is late. */
const lateMs = 1_000;

export function createLocalSpeechToText(options: {
  /** Missing if the model is not installed. */
  recogniser: Recogniser | undefined;
  activity: ActivityDetection;
  worst?: RecentMaximum;
}) {
  const { recogniser, activity, worst } = options;
  return {
    provider: 'local',
    // No package of the registry contains a model for another one: docs/decisions/0076.
    languages: ['en'],
    get lagMs(): number {
      return Math.round(Math.max((recogniser?.lagMs ?? 0) + activity.lagMs, worst?.current ?? 0));
    },
    open({ format }: ListeningOptions, events: TranscriptEvents) {
      const listener = createListener(
        { recogniser, sampleRate: sampleRateOf(format) },
        { ...events, onFailure: (error) => events.onFailure(failureOf(error)) },
      );
      const detector = activity.open(format, listener.add);
      return {
        push: (audio: Buffer) => void detector.push(audio),
        finish() {
          // What was pushed last may not be judged yet.
          void detector.settled().then(listener.finish);
        },
        get isLate() {
          return listener.isLate || detector.lagMs > lateMs;
        },
        close() {
          detector.close();
          listener.close();
        },
        /** Resolves when all audio pushed so far is processed: ended speech is recognised, the rest was analysed. */
        async idle() {
          await detector.settled();
          await listener.idle();
        },
      };
    },
  } satisfies SpeechToText;
}

function failureOf<Failure>(error: Failure): Failure | SpeechFailed {
  if (error instanceof SpeechNotInstalled)
    return new SpeechFailed(`${error.message} Install it with: ${voiceInstallCommand}.`);
  return error instanceof LocalSpeechFailed ? new SpeechFailed(error.message) : error;
}
