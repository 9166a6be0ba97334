import { frameMs } from '../audio/format.ts';
import type { TranscriptEvents } from '../speech/speech.ts';
import { longestWaitMs, waitAfter } from './end-of-turn.ts';

/** Whether a frame of 20 ms contains speech. */
export interface ActivityDetector {
  push(frame: Buffer): boolean;
}

export interface HearingDependencies {
  detector: ActivityDetector;
  /** Opens the recogniser, which reports to the given events. */
  listen(events: TranscriptEvents): { push(audio: Buffer): void; finish(): void; close(): void };
  /** Somebody speaks, for long enough to be no click. */
  onSpeech(): void;
  /** What was understood of the caller's turn so far. */
  onWords(text: string): void;
  /** The caller's turn is over. */
  onTurn(turn: HeardTurn): void;
  /** Nothing is understood any more. */
  onFailure(error: Error): void;
  /** Milliseconds. */
  now(): number;
}

/** What the caller said, and when each part of it was known. */
export interface HeardTurn {
  text: string;
  speechEndedAt: number;
  textAt: number;
  decidedAt: number;
}

export interface Hearing {
  push(frame: Buffer): void;
  /** Whether the caller is speaking right now. */
  readonly isSpeaking: boolean;
  /** What was understood of the turn that is not over. */
  readonly words: string;
  close(): void;
}

/** Speech of this length is meant. */
const onsetMs = 100;
/** Pauses between words are shorter. */
const pauseMs = 240;

/** Listens to a line: notices speech, collects what is understood, and decides when the caller's turn is over. */
export function createHearing(dependencies: HearingDependencies): Hearing {
  const { detector, onSpeech, onWords, onTurn, onFailure, now } = dependencies;
  let finals: string[] = [];
  let partial = '';
  let finalAt: number | undefined;
  let spokenMs = 0;
  let isSpeaking = false;
  let lastSpeechAt: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const stream = dependencies.listen({
    onSpeechStarted: () => undefined,
    onPartial(text) {
      partial = text;
      noteWords();
    },
    onFinal(text) {
      finals.push(text);
      partial = '';
      finalAt = now();
      noteWords();
    },
    onEndOfTurn() {
      if (finals.length > 0 && partial === '' && !isSpeaking) decide();
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

  function noteWords(): void {
    if (isClosed) return;
    const words = wordsSoFar();
    if (words !== '') onWords(words);
    schedule();
  }

  /** The turn is over a while after the last final text, or at the latest a while after the last sound. */
  function schedule(): void {
    clearTimeout(timer);
    timer = undefined;
    if (isSpeaking || isClosed || (finals.length === 0 && partial === '')) return;
    const soundAt = lastSpeechAt ?? finalAt ?? now();
    const latest = soundAt + longestWaitMs;
    const due =
      finalAt !== undefined && partial === ''
        ? Math.max(finalAt, soundAt) + waitAfter(wordsSoFar())
        : Number.POSITIVE_INFINITY;
    timer = setTimeout(decide, Math.max(0, Math.min(due, latest) - now()));
  }

  function decide(): void {
    const text = wordsSoFar();
    const decidedAt = now();
    const speechEndedAt = lastSpeechAt ?? finalAt ?? decidedAt;
    const textAt = Math.max(finalAt ?? decidedAt, speechEndedAt);
    clearTimeout(timer);
    timer = undefined;
    finals = [];
    partial = '';
    finalAt = undefined;
    lastSpeechAt = undefined;
    if (text !== '') onTurn({ text, speechEndedAt, textAt, decidedAt });
  }

  return {
    push(frame) {
      if (isClosed) return;
      stream.push(frame);
      if (detector.push(frame)) {
        spokenMs += frameMs;
        lastSpeechAt = now();
        if (isSpeaking || spokenMs < onsetMs) return;
        isSpeaking = true;
        schedule();
        onSpeech();
        return;
      }
      // A gap within a word does not start the count again.
      spokenMs = Math.max(0, spokenMs - frameMs / 2);
      if (!isSpeaking || lastSpeechAt === undefined || now() - lastSpeechAt < pauseMs) return;
      isSpeaking = false;
      spokenMs = 0;
      stream.finish();
      schedule();
    },
    get isSpeaking() {
      return isSpeaking;
    },
    get words() {
      return wordsSoFar();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      stream.close();
    },
  };
}
