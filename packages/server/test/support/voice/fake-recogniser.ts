import { mulawToPcm } from '@svc/sip/g711';
import { type AudioFormat, bytesPerMs } from '../../../src/voice/audio/format.ts';

export interface RecogniserEvents {
  onSpeech(): void;
  onPartial(text: string): void;
  /** `isOver`: it heard the end of the speech itself. */
  onFinal(text: string, isOver: boolean): void;
}

/** Texts that are understood, one for each stretch of speech, whoever asks; the last one is repeated when they run out. */
export type Script = () => string;

export function scriptOf(texts: readonly string[]): Script {
  let next = 0;
  return () => texts[Math.min(next++, texts.length - 1)] ?? '';
}

/** Understands a scripted text when it hears the end of a stretch of audio that is not silent. */
export function createFakeRecogniser(
  { format, script, silenceMs = 300 }: { format: AudioFormat; script: Script; silenceMs?: number },
  events: RecogniserEvents,
) {
  let text: string | undefined;
  let silentMs = 0;
  function end(isOver: boolean): void {
    if (text === undefined) return;
    const understood = text;
    text = undefined;
    events.onFinal(understood, isOver);
  }
  return {
    push(audio: Buffer): void {
      // In steps of 20 ms, because a piece may hold the end of the speech.
      const step = 20 * bytesPerMs(format);
      for (let from = 0; from < audio.length; from += step) {
        const piece = audio.subarray(from, from + step);
        if (isLoud(piece, format)) {
          silentMs = 0;
          if (text !== undefined) continue;
          text = script();
          events.onSpeech();
          events.onPartial(text.split(' ')[0] ?? '');
        } else {
          silentMs += piece.length / bytesPerMs(format);
          if (silentMs >= silenceMs) end(true);
        }
      }
    },
    finish: () => end(false),
    get isHearing() {
      return text !== undefined;
    },
  };
}

function isLoud(audio: Buffer, format: AudioFormat): boolean {
  if (format === 'mulaw-8000') return mulawToPcm(audio).some((sample) => Math.abs(sample) > 1_000);
  for (let at = 0; at + 1 < audio.length; at += 2) if (Math.abs(audio.readInt16LE(at)) > 1_000) return true;
  return false;
}
