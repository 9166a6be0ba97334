/** The length of a window: what the model of voice activity judges at once. */
export const windowMs = 32;

/** What a line sounds like by now. */
export interface Activity {
  isSpeech: boolean;
  /** How long the speech has lasted, up to its last sound; 0 while there is none. */
  speechMs: number;
  /** How long ago the last sound of speech was; 0 during one. Before the first one, the time since the beginning. */
  silenceMs: number;
  /** How much of the audio was judged. */
  untilMs: number;
}

/** A window above the first begins speech, and one above the second continues it: the quiet parts of a word belong to it. */
const beginsAbove = 0.5;
const continuesAbove = 0.35;
/** Speech has ended after this much silence: shorter pauses separate sounds. */
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
