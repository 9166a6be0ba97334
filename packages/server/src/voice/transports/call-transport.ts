import type { StoredDialog } from '@svc/sip/dialog';
import type { NanoUsd } from '../../lib/money.ts';
import type { AudioFormat } from '../audio/format.ts';

/** Connects calls to the telephone network. */
export interface VoiceTransport {
  readonly name: 'twilio' | 'sip';
  /**
   * Places a call. Resolves when the network has accepted it, which then reports to the exchange what becomes of it. Rejects with
   * CallNotPlaced if it cannot be placed.
   */
  place(call: CallToPlace): Promise<void>;
  /** Gives up a call that is still ringing; harmless if it is not. */
  cancel(callId: string): void;
  /**
   * Whether a number can be shown to the people who are called. `not_ours`: the account does not have it. `undefined`: the network
   * cannot tell.
   */
  canCallFrom(phoneNumber: string): Promise<boolean | 'not_ours' | undefined>;
  /** Calls that continue without a line, such as transferred ones; left out if the network does not tell when they end. */
  readonly passedOn?: {
    isOver(networkId: string): Promise<boolean>;
    /** Harmless if it is over. */
    hangUp(networkId: string): Promise<void>;
  };
  /**
   * Ends a call whose process died, by what its line had as `dialog`; left out where `passedOn` can. False if another process has
   * the connection. Rejects if it cannot be sent.
   */
  hangUpLeft?(dialog: StoredDialog): Promise<boolean>;
  /** Takes part in the network, such as by registering. Resolves when calls can be placed. */
  start(): Promise<void>;
  /** Leaves the network; lines that are still open end. */
  stop(): Promise<void>;
}

/** A call whose caller was transferred. */
export interface PassedOn {
  networkId: string;
  to: string;
  at: Date;
}

export interface CallToPlace {
  callId: string;
  from: string;
  to: string;
  /** The network itself ends the call after this time, in case we cannot. */
  maxSeconds: number;
}

/** The call could not be placed. The message is for the caller of the API and has no secrets. */
export class CallNotPlaced extends Error {
  override readonly name = 'CallNotPlaced';
}

/** What transports report to: the exchange knows every call by its id, on any node. None of these reject. */
export interface Exchange {
  /**
   * One of our numbers seems to be called, which may be forged: asked before `incoming`. Nothing is recorded, counted or paid
   * for, but other branches are refused from now on.
   */
  expect(call: IncomingCall): Promise<Expectation>;
  /** One of our numbers is called. Resolves with what to do about it. */
  incoming(call: IncomingCall): Promise<IncomingDecision>;
  /** The call that the network knows by this id; undefined if there is none. */
  find(transport: IncomingCall['transport'], networkId: string): Promise<string | undefined>;
  /** The phone of the person who is called rings. */
  ringing(callId: string): Promise<void>;
  /** The line is open on this node; the exchange owns it from now on. A call that is already over is hung up. */
  connected(callId: string, line: Line, mayContinue?: MayContinue): Promise<void>;
  /** The call has ended without a line, before there was one or after it was transferred. Repeated reports do nothing. */
  ended(callId: string, end: LineEnd): Promise<void>;
}

/** Asked from time to time: whether a call that has cost this much may continue. */
export type MayContinue = (cost: NanoUsd) => Promise<boolean>;

export interface IncomingCall {
  transport: 'twilio' | 'sip';
  /** The network's own id of the call. */
  networkId: string;
  /**
   * For networks that may send a call to several machines: names the request that has arrived here, and stays the same if that is
   * repeated. The call belongs to the first branch.
   */
  networkBranch?: string;
  from: string | null;
  to: string;
}

export type IncomingDecision = { accept: true; callId: string; maxSeconds: number } | Refusal;

/** To be released when `incoming` has decided, or the call is over without that. */
export type Expectation = { accept: true; release: () => void } | Refusal;

/**
 * `unknown_number`: no bot answers it. `busy`: no more calls are possible now. `unavailable`: calls cannot be answered. `taken`: the
 * call belongs to another branch.
 */
export interface Refusal {
  accept: false;
  reason: 'unknown_number' | 'busy' | 'unavailable' | 'taken';
  /** For the log, in a sentence. */
  why?: string;
}

/** An open line to a telephone or a browser. Calls after its end do nothing. */
export interface Line {
  readonly format: AudioFormat;
  /** The network's own id of the call; left out if nothing can be done with it. */
  readonly networkId?: string;
  /** What another process needs to end the call at the network if this one dies; left out if it needs nothing, or cannot. */
  readonly dialog?: StoredDialog;
  /** How the line reports; set once, before anything else. What was received before that is kept and passed on. */
  listen(events: LineEvents): void;
  /** Queues audio of any length behind what is waiting; the line paces it. */
  send(audio: Buffer): void;
  /** Discards what was sent and not played yet. */
  clear(): void;
  /** How much of our audio the other side has heard since the line was opened; never decreases. */
  readonly playedMs: number;
  /** `playedMs` plus what is waiting: where the next audio will begin. Falls back to `playedMs` when it is cleared. */
  readonly queuedMs: number;
  /**
   * Transfers the caller to a number, whose owner may be told something before the two are connected; this line then ends as
   * `transferred`. Rejects with TransferFailed: the line stays open.
   */
  transfer(to: string, announcement?: TransferAnnouncement): Promise<void>;
  /** Whether the network tells when a transferred call ends; left out if not. */
  readonly reportsTransfers?: boolean;
  /** Set from then on, where the network does. */
  readonly passedOn?: PassedOn | undefined;
  /** Ends the line; `onEnd` still reports it. */
  hangUp(): void;
  /** Shows what is happening; only lines whose other side has a screen have it. */
  show?(notice: LineNotice): void;
}

/** What the person is told to whom a caller is transferred. */
export interface TransferAnnouncement {
  text: string;
  /** Such as `en-US`. */
  language: string;
  /** The same, spoken in the format of the line. */
  speak(): Promise<Buffer>;
}

export type LineNotice =
  | { type: 'state'; state: 'listening' | 'thinking' | 'speaking' }
  /** What was understood of the other side; each text replaces those before it up to a final one. */
  | { type: 'heard'; text: string; isFinal: boolean }
  /** What the bot says, when it begins to be heard: another sentence of this message. */
  | { type: 'said'; id: string; text: string }
  /** Only this much of a message was heard, perhaps nothing. */
  | { type: 'cut'; id: string; text: string }
  /** The call is about to end, with the reason of its record. */
  | { type: 'ending'; reason: string };

export interface LineEvents {
  /** The other side's audio, in order and continuous: whole frames of 20 ms, silence where packets were lost. */
  onAudio(frame: Buffer): void;
  /** A key was pressed: 0–9, *, # or A–D. */
  onDigit(digit: string): void;
  /** Called once. */
  onEnd(end: LineEnd): void;
}

/** How a line or an attempt to get one ended. */
export interface LineEnd {
  cause:
    | 'remote_hangup'
    | 'local_hangup'
    | 'transferred'
    | 'busy'
    | 'no_answer'
    | 'declined'
    | 'voicemail'
    /** The network's own time limit. */
    | 'time_limit'
    | 'failed';
  /** For the operator; no secrets. */
  detail?: string;
}

/** The caller could not be transferred. */
export class TransferFailed extends Error {
  override readonly name = 'TransferFailed';
}
