import { mulawToPcm } from '@svc/sip/g711';
import { createEncoder } from '@svc/sip/media/codec';
import { frameMs, sampleRateOf } from '../audio/format.ts';
import type { Line } from '../transports/call-transport.ts';
import { createBeepFinder } from './find-beep.ts';

/** After this long it is a person, or a machine that nothing gives away. */
const watchMs = 60_000;
/** People who answer say a few words and wait. A recorded greeting begins at once and continues. */
const beginsWithinMs = 2_500;
const longestPauseMs = 1_000;
const greetingMs = 10_000;

export interface VoicemailWatch {
  isSpeech(frame: Buffer): boolean;
  onVoicemail(why: string): void;
  /** Nothing is watched any more; called once. */
  onDone(): void;
}

/** Listens to the beginning of a call that we have placed, for networks that do not tell whether a machine has answered. */
export function createVoicemailEar(
  format: Line['format'],
  { isSpeech, onVoicemail, onDone }: VoicemailWatch,
) {
  // Beeps are in the lower band, and the noise above it would hide quiet ones.
  const toNarrow = createEncoder('pcmu', format);
  const findBeep = createBeepFinder(sampleRateOf('mulaw-8000'));
  let atMs = 0;
  let spokenSinceMs: number | undefined;
  let lastSpeechMs = 0;
  let isDone = false;

  function done(why?: string): void {
    isDone = true;
    onDone();
    if (why !== undefined) onVoicemail(why);
  }

  function isGreeting(frame: Buffer): boolean {
    if (isSpeech(frame)) {
      spokenSinceMs ??= atMs;
      lastSpeechMs = atMs;
    } else if (atMs - lastSpeechMs > longestPauseMs) spokenSinceMs = undefined;
    return (
      spokenSinceMs !== undefined &&
      spokenSinceMs < beginsWithinMs &&
      lastSpeechMs - spokenSinceMs >= greetingMs
    );
  }

  return (frame: Buffer): void => {
    if (isDone) return;
    atMs += frameMs;
    if (findBeep(mulawToPcm(toNarrow(frame)))) done('A beep was heard, as of an answering machine.');
    else if (isGreeting(frame))
      done('A greeting was heard that is longer than people speak when they answer.');
    else if (atMs >= watchMs) done();
  };
}
