import type { CallInterruption } from '@svc/contract/bots';
import type { CallEndReason } from '@svc/contract/calls';
import type { StreamEvent } from '../../events/event.ts';
import type { LineNotice } from '../transports/call-transport.ts';
import type { HeardSpeech } from './hearing.ts';
import type { Phrases } from './phrases.ts';
import type { SpokenPiece, Unspoken } from './sentences.ts';
import type { HeardUtterance } from './speaking.ts';
import type { Answer, TurnTimes } from './turn-times.ts';

/** A function of a tool, and the type of the tool. */
export interface CalledTool {
  name: string;
  type: string;
}

/** What does not change during a talk. */
export interface TalkSettings {
  phrases: Phrases;
  /** What stops the bot while it speaks; any speech if it is left out. */
  interruption?: CallInterruption | undefined;
  /** Whether something is said while this function of a tool runs, and after it. */
  spokenAbout(tool: CalledTool): { during: boolean; after: boolean };
}

/** One conversation on one line. Only `nextTalkState` changes it. */
export interface TalkState {
  readonly settings: TalkSettings;
  /**
   * `last words`: the call ends when the bot has finished speaking. `farewell`: the bot says nothing after the farewell that it is
   * saying. `over`: the line is closed.
   */
  stage: 'talking' | 'last words' | 'farewell' | 'over';
  /** Why the call ends: the first reason, unless the caller was transferred meanwhile. */
  end?: Readonly<CallEnding>;
  /** The last words are those of the open turn, which has not said anything yet. */
  awaitsTurn: boolean;

  /** What was understood of what the caller says so far. */
  words: string;
  /** Whether that is a single word which the recognizer may take back: a cough looks like one. */
  isTentative: boolean;
  /** Since when the caller has been speaking, or making noise. */
  speakingSince?: number | undefined;
  /** Keys that were pressed one after another and not answered yet. */
  pressed: string;
  /** Since when the caller is expected to say something. */
  expectingSince?: number | undefined;
  /** How often the caller was asked whether they are still there. */
  silences: number;
  /** How often the caller was asked to wait until the last words are understood. */
  excuses: number;

  /** Whether the bot is speaking, or about to. */
  isBotSpeaking: boolean;
  /** What nothing may interrupt, because the caller has to know it, until what is said after it begins to be heard. */
  mustBeHeard?: Readonly<{ utteranceId: string; until: number }> | undefined;
  /** What the bot says, by the id of its message. */
  utterances: ReadonlyMap<string, Utterance>;
  turn?: Readonly<OpenTurn> | undefined;
  /** What the latest turn answers, as long as no reply was heard, no tool was called and no person was asked: it may be a wrong guess. */
  guess?: Readonly<Guess> | undefined;
  /** What the caller said while a turn could not be stopped, or until it was. */
  queued?: Readonly<HeardSpeech> | undefined;
  /** Answers that are being written or spoken, by the id of their turn. */
  answers: ReadonlyMap<string, Readonly<Answer>>;
  /** How many turns in a row have failed. */
  failures: number;
  /** When each timer is due, in milliseconds. */
  timers: Readonly<Partial<Record<TalkTimer, number>>>;
}

export interface CallEnding {
  reason: CallEndReason;
  detail?: string | undefined;
}

export type TalkTimer =
  /** Words are expected of a caller who seems to interrupt. */
  | 'interruption'
  /** The last key was pressed a while ago. */
  | 'keys'
  /** The caller says nothing. */
  | 'silence'
  /** What the caller said is not understood yet. */
  | 'late'
  /** A tool takes a while. */
  | 'tool'
  /** A person has to approve something, and the caller waits. */
  | 'approval'
  /** The last words take too long. */
  | 'farewell';

/** One message: a reply of a turn, or a phrase outside of turns. */
export interface Utterance {
  readonly kind: 'reply' | 'phrase';
  /** The turn that it answers, once it is being said. */
  readonly turnId?: string;
  /** What was given to the voice. */
  readonly text: string;
  /** What was heard of it before the bot was last silent. */
  readonly heard: string;
  /** Whether the transcript was told what was heard. */
  readonly isCut: boolean;
  /** The message that the talk has written for it; a reply has its own unless that was retracted. */
  readonly noteId?: string;
  /** While the reply is being written. */
  readonly reading?: Reading | undefined;
}

interface Reading {
  /** What was received of the message. */
  readonly received: string;
  readonly unspoken: Unspoken;
  /** Part of the text is missing until the complete message arrives. */
  readonly isBroken: boolean;
  /** The caller will not hear all of it. */
  readonly isDropped: boolean;
}

/** What the recognizer understood first, and was answered. */
interface Guess {
  turnId: string;
  heard: HeardSpeech;
  /** The message of the conversation, once it is stored. */
  messageId?: string;
  /** The recognizer has corrected it: what follows repeats it. */
  isWrong: boolean;
}

/** A turn that has not ended. */
export interface OpenTurn {
  id: string;
  isStopping: boolean;
  /** The tools that are running, by the ids of their calls. */
  tools: ReadonlyMap<string, CalledTool>;
  /** Whether the caller was asked to wait for them. */
  hasAskedToWait: boolean;
  /** While a person has to approve something: since when, and whether the caller knows. */
  approval?: Readonly<{ since: number; isTold: boolean }> | undefined;
}

export type TalkEvent =
  /** The caller's speech has lasted longer than a click. */
  | { type: 'speech' }
  /** The caller seems to stop, after speaking for this long. */
  | { type: 'lull'; speechMs: number }
  /** The caller has stopped speaking. */
  | { type: 'pause' }
  /** What was understood of what the caller says has changed. */
  | { type: 'words'; text: string; isTentative: boolean }
  /** The caller has finished. `remainingMs`: until the bot has said everything. */
  | { type: 'heard'; heard: HeardSpeech; remainingMs: number }
  /** What was last heard was a guess, and turns out to be this. `isMore`: the guess lacks several words of it. */
  | { type: 'corrected'; heard: HeardSpeech; isMore: boolean }
  | { type: 'key'; digit: string }
  /** Keys were pressed; the text is what may be shown of them. */
  | { type: 'keys'; text: string }
  | { type: 'phrase'; text: string; mustBeHeard?: boolean }
  /** A piece is sent, and begins to be heard when what was sent before it was played. */
  | { type: 'said'; utteranceId: string; spoken: string; inMs: number }
  /** The bot has said everything. */
  | { type: 'silent'; heard: readonly HeardUtterance[] }
  /** What the bot had not said was discarded. */
  | { type: 'discarded'; heard: readonly HeardUtterance[] }
  | { type: 'conversation'; event: StreamEvent }
  | {
      type: 'turn not begun';
      turnId: string;
      text: string;
      replaces: string | undefined;
      code: string | undefined;
    }
  /** `isLate`: something was said that is not understood yet. */
  | { type: 'due'; timer: TalkTimer; isLate: boolean }
  /** The call ends when the bot has said this, or what it is saying. */
  | { type: 'end'; ending: CallEnding; farewell: string | undefined }
  /** The call ends now. */
  | { type: 'close'; ending: CallEnding }
  /** The transcript is complete. */
  | { type: 'closed' };

/** With the time in milliseconds, and an id for the turn, phrase or note that the event may start. */
export type TimedTalkEvent = TalkEvent & { at: number; newId: string };

/** Carried out in order. An effect that reports back does so before the next one starts. */
export type TalkEffect =
  | { type: 'say'; utteranceId: string; piece: SpokenPiece }
  /** The bot stops in the middle of a word, and keeps the rest. */
  | { type: 'pause' }
  /** The bot continues where it was paused. */
  | { type: 'resume' }
  /** The bot drops what it has not said; reports `discarded`. */
  | { type: 'discard' }
  /** Masks pressed keys; reports `keys`. */
  | { type: 'mask keys'; digits: string }
  /** `replaces`: the message of a wrong guess, which is emptied when this one is stored. */
  | { type: 'begin turn'; turnId: string; text: string; replaces: string | undefined }
  | { type: 'stop turn' }
  /** Adds to the transcript what the caller said outside of turns. */
  | { type: 'note words'; text: string }
  /** Adds to the transcript what the bot says outside of turns. */
  | { type: 'note phrase'; id: string; text: string }
  /** Shortens a message of the transcript to what was heard. */
  | { type: 'shorten'; messageId: string; heard: string }
  | { type: 'save times'; turnId: string; times: TurnTimes }
  | { type: 'show'; notice: LineNotice }
  /** Closes the line; reports `closed` when the transcript is complete. */
  | { type: 'close'; ending: CallEnding };

export function newTalk(settings: TalkSettings): TalkState {
  return {
    settings,
    stage: 'talking',
    awaitsTurn: false,
    words: '',
    isTentative: true,
    pressed: '',
    silences: 0,
    excuses: 0,
    isBotSpeaking: false,
    utterances: new Map(),
    answers: new Map(),
    failures: 0,
    timers: {},
  };
}
