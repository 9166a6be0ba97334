import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { InstalledProgram } from './installed.ts';
import { LocalSpeechFailed, type RunFairly } from './local-speech.ts';
import { createResampler, joinSamples } from './resample.ts';
import { speakableText } from './speakable-text.ts';
import { splitText } from './split-text.ts';
import { synthesize } from './synthesize.ts';
import { trimSilence } from './trim-silence.ts';
import type { WavAudio } from './wav.ts';

export interface Sentence {
  text: string;
  /** One of the program's voices, by default the first one. */
  voice?: string | undefined;
  sampleRate: number;
  /** Sentences of different speakers alternate. */
  speaker: string;
}

/** Speaks a sentence. Its samples are passed on in order; resolves when all of them were. Aborting rejects with the signal's reason. */
export type Synthesizer = (
  sentence: Sentence,
  onSamples: (samples: Int16Array) => void,
  signal: AbortSignal,
) => Promise<void>;

/** About ten seconds of speech, which take a quarter of a second to make. */
const maxPieceLength = 160;
const chunkMs = 200;

export function createSynthesizer(options: {
  /** Missing if none is installed. */
  program: InstalledProgram | undefined;
  runFairly: RunFairly;
  /** The limit of one piece of text. */
  timeoutMs?: number;
}): Synthesizer {
  const { program, runFairly, timeoutMs = 20_000 } = options;
  return async ({ text, voice, sampleRate, speaker }, onSamples, signal) => {
    signal.throwIfAborted();
    if (!program)
      throw new LocalSpeechFailed('Neither flite nor espeak-ng is installed: npm run voice:install.');
    const { path, name, alphabet } = program;
    const parameters = program.parameters(requireVoice(program, voice));
    const speakable = speakableText(text, alphabet);
    // Otherwise the bot would be silent without an explanation.
    if (speakable === '' && /\p{L}/u.test(text))
      throw new LocalSpeechFailed(`${name} cannot speak the language of the text.`);
    for (const piece of splitText(speakable, maxPieceLength)) {
      const audio = await runFairly(speaker, signal, () =>
        synthesize({ path, parameters, text: piece, signal, timeoutMs }),
      );
      for (const chunk of convert(sampleRate, audio)) {
        signal.throwIfAborted();
        onSamples(chunk);
        await yieldToOthers();
      }
    }
  };
}

function requireVoice({ name, voices }: InstalledProgram, voice: string | undefined): string {
  const found = voice === undefined ? voices[0] : voices.find(({ id }) => id === voice);
  if (!found) throw new LocalSpeechFailed(`${name} does not have the voice ${JSON.stringify(voice)}.`);
  return found.id;
}

/** Converts what a program has spoken in short chunks: other calls need the processor in between. */
function* convert(to: number, { sampleRate, samples }: WavAudio): Generator<Int16Array> {
  const resampler = createResampler(sampleRate, to);
  const audible = trimSilence(samples, sampleRate);
  const step = Math.round((sampleRate * chunkMs) / 1_000);
  for (let start = 0; start < audible.length; start += step) {
    const chunk = resampler.push(audible.subarray(start, start + step));
    const isLast = start + step >= audible.length;
    yield isLast ? joinSamples([chunk, resampler.end()]) : chunk;
  }
}
