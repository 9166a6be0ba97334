import type { CallPatience } from '@svc/contract/bots';
import { frameMs } from '../audio/format.ts';
import type { TranscriptEvents, TranscriptStream } from '../speech/speech.ts';
import { countWords, longestWaitMs, readsAsComplete, waitAfter } from './end-of-speech.ts';
import { isSameText, newWords } from './late-words.ts';

/** Whether a frame of 20 ms contains speech. */
export interface ActivityDetector {
  push(frame: Buffer): boolean;
  /** How much of the audio it has not judged yet; left out if it is never behind. */
  readonly lagMs?: number;
  /** How long ago the last sound of the speech was that it reports: it bridges short pauses. */
  readonly silenceMs?: number;
}

/** What the caller said, and when each part of it was known. */
export interface HeardSpeech {
  text: string;
  /** What was said earlier and is answered together with it. */
  before?: string | undefined;
  speechEndedAt: number;
  textAt: number;
  decidedAt: number;
}

/** All that is answered. */
export function wholeText({ before = '', text }: Pick<HeardSpeech, 'before' | 'text'>): string {
  return `${before} ${text}`.trim();
}

/** Shorter sounds are clicks. */
const onsetMs = 100;
/** Pauses between words are shorter. */
const pauseMs = 240;
/** Pauses within a word are shorter. */
const lullMs = 60;

/** Listens to a line: notices speech, collects what is understood, and decides when the caller has finished. */
export function createHearing(dependencies: {
  detector: ActivityDetector;
  /** How long the caller may pause; normal if it is left out. */
  patience?: CallPatience | undefined;
  /** Opens the recognizer, which reports to the given events. */
  listen(events: TranscriptEvents): TranscriptStream;
  /** Speech has lasted longer than a click. */
  onSpeech(): void;
  /** The speech seems to end, and has lasted this long. If it continues, `onSpeech` is called again. */
  onLull(speechMs: number): void;
  /** The speech has ended, or the noise. */
  onPause(): void;
  /** What was understood of what the caller says so far. Tentative: a single word that may be taken back, as a cough looks like one. */
  onWords(text: string, isTentative: boolean): void;
  /** The caller has finished. */
  onHeard(heard: HeardSpeech): void;
  /** What was last heard was a guess, and turns out to be this. `isMore`: the guess lacks several words of it. */
  onCorrected(heard: HeardSpeech, isMore: boolean): void;
  /** Speech can no longer be recognized. */
  onFailure(error: Error): void;
  /** Milliseconds. */
  now(): number;
}) {
  const { patience = 'normal' } = dependencies;
  const { detector, onSpeech, onLull, onPause, onWords, onHeard, onCorrected, onFailure, now } = dependencies;
  let finals: string[] = [];
  let partial = '';
  let finalAt: number | undefined;
  /** When the partial text last changed. */
  let partialAt = 0;
  let spokenMs = 0;
  let isSpeaking = false;
  let isLull = false;
  let speakingSince = 0;
  let lastSpeechAt: number | undefined;
  /** The same without the pauses that the detector bridges: when the caller really stopped. */
  let lastSoundAt = 0;
  /** The caller's last words, if they had no final text when the caller had finished, and what was final before them. */
  let unfinished: string | undefined;
  let finished: { text: string; speechEndedAt: number } | undefined;
  let hasSpokenSince = false;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const stream = dependencies.listen({
    onPartial(text) {
      // The answered words were taken back, and no final text will repeat them.
      if (text === '') unfinished = undefined;
      const before = partial;
      const heard = withoutAnswered(text);
      if (heard === before) return;
      if (before === '') noteSound();
      partial = heard;
      partialAt = now();
      noteWords();
    },
    onFinal(text) {
      const heard = withoutAnswered(text);
      const guess = unfinished;
      unfinished = undefined;
      partial = '';
      if (heard === '' && guess !== undefined && !isSameText(text, guess))
        correct(text, countWords(text) > countWords(guess) + 1);
      if (heard === '') return noteWords();
      noteSound();
      finals.push(heard);
      finalAt = now();
      noteWords();
    },
    onEndOfSpeech() {
      // A pause in the middle of a sentence does not mean that the caller has finished.
      const isOver = finals.length > 0 && partial === '' && readsAsComplete(wordsSoFar());
      // Recognizers have no patience of their own.
      if (isOver && !isSpeaking && patience !== 'patient') decide();
    },
    onFailure(error) {
      if (!isClosed) onFailure(error);
    },
  });

  const wordsSoFar = () =>
    [...finals, partial]
      .map((text) => text.trim())
      .filter(Boolean)
      .join(' ');

  const withoutAnswered = (text: string) =>
    unfinished === undefined ? text : newWords(text, unfinished, hasSpokenSince);

  /** The caller's first words: a sound long before them was something else. */
  function noteSound(): void {
    const isOld = lastSpeechAt !== undefined && lastSpeechAt < now() - longestWaitMs;
    // On a busy machine they may come long after the speech.
    if (isOld && finals.length === 0 && !stream.isLate) lastSpeechAt = undefined;
  }

  function noteWords(): void {
    if (isClosed) return;
    onWords(wordsSoFar(), finals.length === 0 && countWords(partial) < 2);
    schedule();
  }

  function schedule(): void {
    clearTimeout(timer);
    timer = undefined;
    const dueAt = isClosed || wordsSoFar() === '' ? undefined : overAt();
    if (dueAt !== undefined) timer = setTimeout(decide, Math.max(0, dueAt - now()));
  }

  /** The turn is over a while after the last final text, or at the latest a while after the last sound. */
  function overAt(): number {
    const textAt = partial === '' ? finalAt : undefined;
    // Sounds without new words for that long are noise.
    if (isSpeaking) return Math.max(textAt ?? partialAt, speakingSince) + longestWaitMs;
    const soundAt = lastSpeechAt ?? finalAt ?? now();
    const latest = soundAt + longestWaitMs;
    return textAt === undefined
      ? latest
      : Math.min(latest, Math.max(textAt, soundAt) + waitAfter(wordsSoFar(), patience));
  }

  function decide(): void {
    const text = wordsSoFar();
    const decidedAt = now();
    const speechEndedAt = lastSpeechAt === undefined ? (finalAt ?? decidedAt) : lastSoundAt;
    const textAt = Math.max(finalAt ?? decidedAt, speechEndedAt);
    clearTimeout(timer);
    timer = undefined;
    if (partial !== '') {
      unfinished = partial;
      finished = { text: finals.join(' '), speechEndedAt };
      hasSpokenSince = false;
    }
    finals = [];
    partial = '';
    finalAt = undefined;
    lastSpeechAt = undefined;
    if (text !== '') onHeard({ text, speechEndedAt, textAt, decidedAt });
  }

  function correct(text: string, isMore: boolean): void {
    if (!finished || isClosed) return;
    const at = now();
    const whole = `${finished.text} ${text}`.trim();
    const { speechEndedAt } = finished;
    onCorrected({ text: whole, speechEndedAt, textAt: at, decidedAt: at }, isMore);
  }

  return {
    push(frame: Buffer): void {
      if (isClosed) return;
      stream.push(frame);
      if (detector.push(frame)) {
        spokenMs += frameMs;
        lastSpeechAt = now() - (detector.lagMs ?? 0);
        lastSoundAt = lastSpeechAt - (detector.silenceMs ?? 0);
        if ((isSpeaking && !isLull) || spokenMs < onsetMs) return;
        if (!isSpeaking) speakingSince = now();
        isSpeaking = true;
        isLull = false;
        hasSpokenSince = true;
        schedule();
        onSpeech();
        return;
      }
      // A gap within a word does not start the count again.
      spokenMs = Math.max(0, spokenMs - frameMs / 2);
      if (!isSpeaking) return;
      const silentMs = lastSpeechAt === undefined ? pauseMs : now() - lastSpeechAt;
      if (silentMs >= lullMs && !isLull) {
        isLull = true;
        spokenMs = 0;
        onLull(now() - silentMs - speakingSince + onsetMs);
      }
      if (silentMs < pauseMs) return;
      isSpeaking = false;
      isLull = false;
      spokenMs = 0;
      stream.finish();
      onPause();
      schedule();
    },
    /** Whether something was said that is not understood yet. */
    get isLate(): boolean {
      return stream.isLate;
    },
    close(): void {
      isClosed = true;
      clearTimeout(timer);
      stream.close();
    },
  };
}
