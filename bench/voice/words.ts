import { frameBytes } from '../../packages/server/src/voice/audio/format.ts';
import { createLocalSpeech } from '../../packages/server/src/voice/speech/local/local-speech.ts';
import { speak } from '../../packages/server/test/support/voice/speech-files.ts';
import { isSound } from './caller/phone.ts';

/** What callers ask, in whole frames, of which the first and the last are heard: so the moments when they speak are known. */
export async function makeWords(): Promise<Buffer> {
  const speech = createLocalSpeech({ log: { warn: (...problem: unknown[]) => console.error(problem) } });
  if (!speech.installed.listens || !speech.installed.speaks) {
    throw new Error('Callers speak, and are heard, with what `npm run voice:install` and flite bring.');
  }
  try {
    const audio = await speak(speech, 'Where is my new order?', { beforeMs: 0, afterMs: 0 });
    const frame = frameBytes('mulaw-8000');
    const isHeard = Array.from({ length: Math.floor(audio.length / frame) }, (_value, index) =>
      isSound(audio.subarray(index * frame, (index + 1) * frame)),
    );
    return audio.subarray(isHeard.indexOf(true) * frame, (isHeard.lastIndexOf(true) + 1) * frame);
  } finally {
    speech.stop();
  }
}
