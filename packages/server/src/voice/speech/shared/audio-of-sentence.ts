import { type AudioFormat, bytesPerMs } from '../../audio/format.ts';
import { SpeechFailed } from '../speech.ts';

/** How long a provider may take. */
export const usualLimits = {
  firstAudioMs: 5_000,
  /** Between two pieces of audio. */
  pauseMs: 5_000,
  /** For a whole sentence. */
  totalMs: 60_000,
  /** Before a sentence that was refused temporarily is requested again. */
  retryMs: 500,
  /** How long a sentence that exceeds the provider's concurrency is retried. It must leave time for its first audio. */
  busyMs: 4_000,
};

export type SpeakingLimits = typeof usualLimits;

/** No text takes longer to speak: a number that is read out is about 500 ms per digit. */
const maxAudioMs = (text: string) => 10_000 + text.length * 600;

export type SentenceAudio = ReturnType<typeof audioOfSentence>;

/** Passes the audio of one sentence on, and fails when there is none for too long or far too much of it. */
export function audioOfSentence(options: {
  label: string;
  text: string;
  format: AudioFormat;
  limits: SpeakingLimits;
  onAudio: (audio: Buffer) => void;
  fail: (error: SpeechFailed) => void;
}) {
  const { label, text, format, limits, onAudio, fail } = options;
  const sampleBytes = format === 'mulaw-8000' ? 1 : 2;
  let remaining = maxAudioMs(text) * bytesPerMs(format);
  let half: Buffer = Buffer.alloc(0);
  let hasBegun = false;
  let isOver = false;
  const end = (problem: string) => {
    stop();
    fail(new SpeechFailed(`${label} ${problem}.`));
  };
  const total = setTimeout(() => end('took too long for a sentence'), limits.totalMs);
  let next = setTimeout(
    () => end(`sent no audio within ${limits.firstAudioMs / 1_000} seconds`),
    limits.firstAudioMs,
  );
  /** Ends the time limits. */
  function stop(): void {
    isOver = true;
    clearTimeout(total);
    clearTimeout(next);
  }
  return {
    get hasBegun(): boolean {
      return hasBegun;
    },
    /** Passes audio on as whole samples. */
    push(audio: Buffer): void {
      if (isOver || audio.length === 0) return;
      hasBegun = true;
      remaining -= audio.length;
      if (remaining < 0) return end('sent far more audio than the text can be');
      clearTimeout(next);
      next = setTimeout(() => end('stopped in the middle of a sentence'), limits.pauseMs);
      const joined = half.length > 0 ? Buffer.concat([half, audio]) : audio;
      const whole = joined.length - (joined.length % sampleBytes);
      half = joined.subarray(whole);
      if (whole > 0) onAudio(joined.subarray(0, whole));
    },
    stop,
  };
}
