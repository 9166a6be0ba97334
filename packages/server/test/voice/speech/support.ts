import type {
  ListeningOptions,
  Speaker,
  SpeechToText,
  TranscriptStream,
} from '../../../src/voice/speech/speech.ts';

export function voicesNamed(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    id: `voice-${index}`,
    name: `Voice ${index}`,
    language: 'en',
    gender: index % 2 === 0 ? 'female' : 'male',
  }));
}

/** Says a sentence and resolves with its audio. */
export async function saying(
  speaker: Speaker,
  text: string,
  signal = new AbortController().signal,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await speaker.say(text, (audio) => chunks.push(audio), signal);
  return Buffer.concat(chunks);
}

export interface Listening {
  stream: TranscriptStream;
  /** Everything that was reported, in order, as `kind text`. */
  heard: string[];
}

export function listening(listener: SpeechToText, options: ListeningOptions): Listening {
  const heard: string[] = [];
  const stream = listener.open(options, {
    onPartial: (text) => heard.push(`partial ${text}`),
    onFinal: (text) => heard.push(`final ${text}`),
    onEndOfSpeech: () => heard.push('end of turn'),
    onFailure: (error) => heard.push(`failure ${error.message}`),
  });
  return { stream, heard };
}
