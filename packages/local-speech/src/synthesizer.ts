import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { InstalledProgram } from './installed.ts';
import { LocalSpeechFailed, type RunFairly, SpeechNotInstalled } from './local-speech.ts';
import { createResampler, joinSamples } from './resample.ts';
import { speakableText } from './speakable-text.ts';
import { splitText } from './split-text.ts';
import { synthesize } from './synthesize.ts';
import { trimSilence } from './trim-silence.ts';
import type { WavAudio } from './wav.ts';

export interface Sentence {
  text: string;
  /** The id of a voice; by default the first one that speaks the language, or else the first of all. */
  voice?: string | undefined;
  /** A language tag such as `de`. */
  language?: string | undefined;
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
  programs: readonly InstalledProgram[];
  runFairly: RunFairly;
  /** The limit of one piece of text. */
  timeoutMs?: number;
}): Synthesizer {
  const { programs, runFairly, timeoutMs = 20_000 } = options;
  return async ({ text, voice, language, sampleRate, speaker }, onSamples, signal) => {
    signal.throwIfAborted();
    const { program, id } = requireVoice(programs, voice, language);
    const { path, name, alphabet } = program;
    const parameters = program.parameters(id);
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

function requireVoice(
  programs: readonly InstalledProgram[],
  voice: string | undefined,
  language: string | undefined,
): { program: InstalledProgram; id: string } {
  const all = programs.flatMap((program) => program.voices.map((own) => ({ ...own, program })));
  if (all.length === 0) throw new SpeechNotInstalled('Neither flite nor espeak-ng is installed.');
  const found =
    voice === undefined
      ? (all.find((own) => isLanguage(own.language, language)) ?? all[0])
      : all.find(({ id }) => id === voice);
  if (!found) throw new LocalSpeechFailed(`No installed program has the voice ${JSON.stringify(voice)}.`);
  return found;
}

/** Regions are left out: any German is better than English. */
function isLanguage(tag: string, wanted: string | undefined): boolean {
  return tag.split('-')[0] === wanted?.split('-')[0];
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
