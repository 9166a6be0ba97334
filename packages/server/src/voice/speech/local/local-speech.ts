import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { findInstalledSpeech, type InstalledSpeech } from '@svc/local-speech/installed';
import { createListener } from '@svc/local-speech/listener';
import { LocalSpeechFailed, type RunFairly } from '@svc/local-speech/local-speech';
import { createRecogniser, type Recogniser } from '@svc/local-speech/recogniser';
import { createSynthesizer } from '@svc/local-speech/synthesizer';
import { createFairQueue, TooManyWaiting, type WaitingLimits } from '../../../lib/fair-queue.ts';
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
  const recogniser = models && createRecogniser({ models, runFairly: recognitionQueue() });
  const activity = createActivityDetection({
    models,
    onFailure: (error) => log.warn({ err: error }, 'Voice activity is now told by loudness.'),
  });
  return {
    installed,
    activity,
    textToSpeech: createLocalTextToSpeech(installed),
    speechToText: createLocalSpeechToText({ recogniser, activity }),
    /** Ends the processes of the models. */
    stop(): void {
      recogniser?.stop();
      activity.stop();
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

export function createLocalSpeechToText(options: {
  /** Missing if the model is not installed. */
  recogniser: Recogniser | undefined;
  activity: ActivityDetection;
}) {
  const { recogniser, activity } = options;
  return {
    provider: 'local',
    // No package of the registry contains a model for another one: docs/decisions/0076.
    languages: ['en'],
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
          return listener.isLate;
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
  return error instanceof LocalSpeechFailed ? new SpeechFailed(error.message) : error;
}
