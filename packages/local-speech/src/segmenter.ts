import { type Activity, windowMs } from './activity-tracker.ts';

/** What the caller does. */
export type SegmentEvent =
  /** Speech has lasted longer than a click. */
  | { kind: 'started' }
  /** The caller has been speaking for a while: a partial text is due. */
  | { kind: 'progress'; windows: readonly Int16Array[] }
  /** The caller may have finished: recognition begins, in case that is so. */
  | { kind: 'pause'; windows: readonly Int16Array[] }
  /** The caller continues after a pause. */
  | { kind: 'resumed' }
  /** The caller has finished. `isSameAsPause`: nothing was said since the last pause. */
  | { kind: 'ended'; windows: readonly Int16Array[]; isSameAsPause: boolean };

const inWindows = (milliseconds: number) => Math.round(milliseconds / windowMs);
/** The model understands more with a little silence around the speech, and less or nothing with much of it. */
const keptBefore = inWindows(224);
const keptAfter = inWindows(192);
const pauseAfterMs = 96;
const endAfterMs = 320;
/** Less speech than this is a click or a breath. */
const leastSpeech = 3;
const progressEvery = inWindows(512);
/** The model was made for less than half a minute. */
const longest = inWindows(15_000);

/** Cuts what is heard into pieces of speech. */
export function createSegmenter() {
  let windows: Int16Array[] = [];
  let isOpen = false;
  let spoken = 0;
  let spokenAtPause = 0;
  let spokenAtProgress = 0;
  /** Where the last sound of speech ends. */
  let lastSpoken = 0;

  function close(): SegmentEvent[] {
    const isSpeech = spoken >= leastSpeech;
    const ended = windows.slice(0, lastSpoken + keptAfter);
    const isSameAsPause = spokenAtPause === spoken;
    windows = windows.slice(-keptBefore);
    isOpen = false;
    spoken = 0;
    spokenAtPause = 0;
    spokenAtProgress = 0;
    lastSpoken = 0;
    return isSpeech ? [{ kind: 'ended', windows: ended, isSameAsPause }] : [];
  }

  function speech(): SegmentEvent[] {
    const events: SegmentEvent[] = [];
    isOpen = true;
    spoken += 1;
    lastSpoken = windows.length;
    if (spoken === leastSpeech) events.push({ kind: 'started' });
    if (spokenAtPause > 0 && spokenAtPause === spoken - 1) events.push({ kind: 'resumed' });
    if (spoken - spokenAtProgress >= progressEvery) {
      spokenAtProgress = spoken;
      events.push({ kind: 'progress', windows: [...windows] });
    }
    return windows.length >= longest ? [...events, ...close()] : events;
  }

  return {
    add({ isSpeech, silenceMs }: Activity, window: Int16Array): SegmentEvent[] {
      windows.push(window);
      if (isSpeech && silenceMs === 0) return speech();
      if (!isOpen) {
        windows = windows.slice(-keptBefore);
        return [];
      }
      if (silenceMs >= endAfterMs) return close();
      if (silenceMs >= pauseAfterMs && spoken >= leastSpeech && spokenAtPause !== spoken) {
        spokenAtPause = spoken;
        return [{ kind: 'pause', windows: [...windows] }];
      }
      return [];
    },
    /** Ends what is being said, now. */
    finish: (): SegmentEvent[] => (isOpen ? close() : []),
  };
}
