import { randomUUID } from 'node:crypto';
import { createFairQueue, TooManyWaiting } from '../../../fair-queue.ts';
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
      for (const piece of splitText(speakableText(text, program.alphabet), maxPieceLength)) {
        const work = () =>
          synthesize({ path: program.path, parameters, text: piece, signal: ended, timeoutMs });
        const audio = await queue.run(speaker, ended, work, waiting).catch(explainFullQueue);
        const converted = toLine(format, audio);
        if (converted.length > 0) onAudio(encodeAudio(format, converted));
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

/** The filters of a conversion are computed once. */
function createConversions() {
  const conversions = new Map<string, () => Resampler>();
  return (format: AudioFormat, { sampleRate, samples }: WavAudio): Int16Array => {
    const to = sampleRateOf(format);
    const key = `${sampleRate} ${to}`;
    const begin = conversions.get(key) ?? createResampling(sampleRate, to);
    conversions.set(key, begin);
    const resampler = begin();
    const parts = [resampler.push(trimSilence(samples, sampleRate)), resampler.end()];
    return Int16Array.from(parts.flatMap((part) => [...part]));
  };
}

function explainFullQueue(error: unknown): never {
  throw error instanceof TooManyWaiting ? new SpeechFailed('Too much waits to be spoken.') : error;
}
