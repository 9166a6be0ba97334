import { readFile, writeFile } from 'node:fs/promises';
import { createResampler } from '@svc/local-speech/resample';
import { readWav } from '@svc/local-speech/wav';
import { writeWav } from '../../../../local-speech/test/write-wav.ts';
import { type AudioFormat, sampleRateOf, silence } from '../../../src/voice/audio/format.ts';
import { decodeAudio, encodeAudio } from '../../../src/voice/audio/line-audio.ts';
import type { createLocalSpeech } from '../../../src/voice/speech/local/local-speech.ts';
import { patienceMs } from '../patience.ts';

export type LocalSpeech = ReturnType<typeof createLocalSpeech>;

export interface SpokenOptions {
  format?: AudioFormat;
  voice?: string;
  /** Silence before and after. */
  beforeMs?: number;
  afterMs?: number;
}

/** A sentence as audio of a line. */
export async function speak(speech: LocalSpeech, text: string, options: SpokenOptions = {}): Promise<Buffer> {
  const { format = 'mulaw-8000', voice = 'slt', beforeMs = 500, afterMs = 800 } = options;
  const parts: Buffer[] = [];
  const speaker = speech.textToSpeech.open({ format, voice });
  await speaker.say(text, (audio) => parts.push(audio), AbortSignal.timeout(patienceMs));
  speaker.close();
  return Buffer.concat([silence(format, beforeMs), ...parts, silence(format, afterMs)]);
}

/** Writes a sentence as a WAV file, for the programs that play telephones. */
export async function writeSpokenFile(
  speech: LocalSpeech,
  file: string,
  text: string,
  options: SpokenOptions = {},
): Promise<void> {
  const { format = 'mulaw-8000' } = options;
  const audio = await speak(speech, text, options);
  await writeFile(file, writeWav({ sampleRate: sampleRateOf(format), samples: decodeAudio(format, audio) }));
}

async function readSamples(file: string): Promise<{ sampleRate: number; samples: Int16Array }> {
  const audio = readWav(await readFile(file));
  if (!audio) throw new Error(`${file} is not a WAV file of 16-bit samples with one channel.`);
  return audio;
}

/** What is said in a WAV file, each piece of speech by itself. */
export async function transcribeFile(
  speech: LocalSpeech,
  file: string,
  format: AudioFormat = 'mulaw-8000',
): Promise<string[]> {
  const { sampleRate, samples } = await readSamples(file);
  const resampler = createResampler(sampleRate, sampleRateOf(format));
  const parts = [resampler.push(samples), resampler.end()];
  const audio = parts.map((part) => encodeAudio(format, part));
  // A recording may end with the last word.
  return transcribe(speech, Buffer.concat([...audio, silence(format, 1_000)]), format);
}

/** What is said in the audio of a line, each piece of speech by itself. Silence in the end ends the last piece. */
export async function transcribe(
  speech: LocalSpeech,
  audio: Buffer,
  format: AudioFormat = 'mulaw-8000',
): Promise<string[]> {
  const heard: string[] = [];
  const failures: Error[] = [];
  const stream = speech.speechToText.open(
    { format },
    {
      onPartial: () => undefined,
      onFinal: (text) => heard.push(text),
      onEndOfSpeech: () => undefined,
      onFailure: (error) => failures.push(error),
    },
  );
  stream.push(audio);
  await stream.idle();
  stream.close();
  for (const failure of failures) throw failure;
  return heard;
}

/** The part of the expected words that were understood, in order; digits and punctuation aside. */
export function wordsRight(expected: string, understood: string): number {
  const [wanted, got] = [wordsOf(expected), wordsOf(understood)];
  let row = Array.from({ length: got.length + 1 }, () => 0);
  for (const word of wanted) {
    const next = [0];
    for (const [index, other] of got.entries()) {
      const common = word === other ? (row[index] ?? 0) + 1 : 0;
      next.push(Math.max(common, row[index + 1] ?? 0, next[index] ?? 0));
    }
    row = next;
  }
  return (row.at(-1) ?? 0) / wanted.length;
}

export function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .replace(/[^a-z' ]/g, ' ')
    .split(' ')
    .filter(Boolean);
}
