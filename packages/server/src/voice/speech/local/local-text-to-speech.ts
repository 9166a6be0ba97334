import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createFairQueue, TooManyWaiting } from '../../../lib/fair-queue.ts';
import { type AudioFormat, sampleRateOf } from '../../audio/format.ts';
import { encodeAudio } from '../../audio/line-audio.ts';
import { createResampling, type Resampler } from '../../audio/resample.ts';
import type { WavAudio } from '../../audio/wav.ts';
import { type Speaker, type SpeakingOptions, SpeechFailed, type TextToSpeech } from '../speech.ts';
import type { InstalledProgram } from './installed.ts';
import { speakableText } from './speakable-text.ts';
import { splitText } from './split-text.ts';
import { synthesize } from './synthesize.ts';
import { trimSilence } from './trim-silence.ts';

export interface LocalTextToSpeechOptions {
  program: InstalledProgram | undefined;
  /** How many programs run at the same time; the calls take turns. */
  concurrency?: number;
  /** The limit of one piece of text. */
  timeoutMs?: number;
}

/** About ten seconds of speech, which take a quarter of a second to make. */
const maxPieceLength = 160;
const chunkMs = 200;
const waiting = { perGroup: 20, total: 200 };

/** Speaks with a program of the system that needs no key. */
export function createLocalTextToSpeech(options: LocalTextToSpeechOptions): TextToSpeech {
  const { program, concurrency = 2, timeoutMs = 20_000 } = options;
  const queue = createFairQueue({ concurrency });
  const toLine = createConversions();

  function open({ format, voice }: SpeakingOptions): Speaker {
    const speaker = randomUUID();
    const closed = new AbortController();

    async function say(text: string, onAudio: (audio: Buffer) => void, signal: AbortSignal): Promise<void> {
      const ended = AbortSignal.any([signal, closed.signal]);
      ended.throwIfAborted();
      if (!program)
        throw new SpeechFailed('Neither flite nor espeak-ng is installed: npm run voice:install.');
      const parameters = program.parameters(requireVoice(program, voice));
      const speakable = speakableText(text, program.alphabet);
      // Otherwise the bot would be silent, and nobody would know why.
      if (speakable === '' && /\p{L}/u.test(text))
        throw new SpeechFailed(`${program.name} cannot speak the language of the text.`);
      for (const piece of splitText(speakable, maxPieceLength)) {
        const work = () =>
          synthesize({ path: program.path, parameters, text: piece, signal: ended, timeoutMs });
        const audio = await queue.run(speaker, ended, work, waiting).catch(explainFullQueue);
        for (const chunk of toLine(format, audio)) {
          ended.throwIfAborted();
          onAudio(chunk);
          await nextTurn();
        }
      }
    }

    return { say, close: () => closed.abort(new SpeechFailed('The speaker was closed.')) };
  }

  return {
    provider: 'local',
    listVoices: async () => [...(program?.voices ?? [])],
    open,
  };
}

function requireVoice({ name, voices }: InstalledProgram, voice: string | undefined): string {
  const found = voice === undefined ? voices[0] : voices.find(({ id }) => id === voice);
  if (!found) throw new SpeechFailed(`${name} does not have the voice ${JSON.stringify(voice)}.`);
  return found.id;
}

/** Converts what a program has spoken into short chunks: other calls need the processor in between. */
function createConversions() {
  // The filters of a conversion are computed once.
  const conversions = new Map<string, () => Resampler>();
  return function* toLine(format: AudioFormat, { sampleRate, samples }: WavAudio): Generator<Buffer> {
    const to = sampleRateOf(format);
    const key = `${sampleRate} ${to}`;
    const begin = conversions.get(key) ?? createResampling(sampleRate, to);
    conversions.set(key, begin);
    const resampler = begin();
    const audible = trimSilence(samples, sampleRate);
    const step = Math.round((sampleRate * chunkMs) / 1_000);
    for (let start = 0; start < audible.length; start += step) {
      const chunk = encodeAudio(format, resampler.push(audible.subarray(start, start + step)));
      const isLast = start + step >= audible.length;
      yield isLast ? Buffer.concat([chunk, encodeAudio(format, resampler.end())]) : chunk;
    }
  };
}

function explainFullQueue(error: unknown): never {
  throw error instanceof TooManyWaiting ? new SpeechFailed('Too much waits to be spoken.') : error;
}
