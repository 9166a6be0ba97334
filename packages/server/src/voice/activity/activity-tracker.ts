/** What a line sounds like by now. */
export interface Activity {
  isSpeech: boolean;
  /** How long somebody has been speaking, up to the last sound of speech; 0 while there is none. */
  speechMs: number;
  /** How long ago the last sound of speech was; 0 while there is one. Counts from the beginning before the first one. */
  silenceMs: number;
  /** How much of the audio was judged. */
  untilMs: number;
}

export const windowMs = 32;
/** A window begins speech above the first and continues it above the second: a word's quiet parts belong to it. */
const beginsAbove = 0.5;
const continuesAbove = 0.35;
/** Speech has ended after this long without: shorter pauses are between sounds. */
const pauseMs = 96;

/** Follows one line, window after window. */
export function createActivityTracker(): (probability: number) => Activity {
  let activity: Activity = { isSpeech: false, speechMs: 0, silenceMs: 0, untilMs: 0 };
  let startedAt = 0;
  return (probability) => {
    const untilMs = activity.untilMs + windowMs;
    if (probability >= (activity.isSpeech ? continuesAbove : beginsAbove)) {
      if (!activity.isSpeech) startedAt = activity.untilMs;
      activity = { isSpeech: true, speechMs: untilMs - startedAt, silenceMs: 0, untilMs };
    } else {
      const silenceMs = activity.silenceMs + windowMs;
      const isSpeech = activity.isSpeech && silenceMs < pauseMs;
      activity = { isSpeech, speechMs: isSpeech ? activity.speechMs : 0, silenceMs, untilMs };
    }
    return activity;
  };
}
