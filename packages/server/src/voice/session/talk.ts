import type { CallEndReason } from '@svc/contract/calls';
import type { StreamEvent } from '../../events/event.ts';
import type { Log } from '../../log.ts';
import { newId } from '../../new-id.ts';
import type { Speaker, TranscriptEvents, TranscriptStream } from '../speech/speech.ts';
import type { Line, LineEnd } from '../transports/transport.ts';
import { createDigits } from './digits.ts';
import { isBackChannel } from './end-of-turn.ts';
import { type ActivityDetector, createHearing, type HeardTurn } from './hearing.ts';
import type { Phrases } from './phrases.ts';
import { createReplyFollower } from './reply-follower.ts';
import { type CutUtterance, createSpeaking } from './speaking.ts';
import { createTurnTimes } from './turn-times.ts';

/** What the talk needs of the rest of the service. None of these reject unless it says so. */
export interface TalkPorts {
  /** Begins a turn with what the caller said; rejects if it cannot. */
  beginTurn(turnId: string, text: string): Promise<void>;
  /** Ends the turn that is running, and resolves when it is over. */
  stopTurn(): Promise<void>;
  /** Reports the events of the conversation until the returned function is called. */
  follow(onEvents: (events: readonly StreamEvent[]) => void, onGone: () => void): () => void;
  /** Adds to the transcript what was said outside of turns. */
  note(role: 'user' | 'assistant', text: string, interrupted: boolean): Promise<void>;
  /** Shortens a reply in the transcript. */
  cut(messageId: string, heard: string): Promise<void>;
  saveTimes(turnId: string, times: TurnTimes): void;
  /** Whether something is to be said while this function of a tool runs, and after it. */
  spokenAbout(functionName: string): { during: boolean; after: boolean };
  onSpoken(characters: number): void;
}

export interface TurnTimes {
  endOfTurnMs: number | null;
  textMs: number | null;
  modelMs: number | null;
  speechMs: number | null;
  interrupted: boolean;
}

export interface TalkOptions {
  line: Line;
  speaker: Speaker;
  detector: ActivityDetector;
  listen(events: TranscriptEvents): TranscriptStream;
  phrases: Phrases;
  greeting: string;
  ports: TalkPorts;
  /** The talk is over, once; the line may still be open. */
  onEnd(reason: CallEndReason, detail?: string): void;
  log: Log;
}

export interface Talk {
  /** Says goodbye, if there is something to say, and ends the talk. */
  end(reason: CallEndReason, farewell?: string): void;
  /** Ends the talk when what is being said was heard. */
  endAfterFarewell(): void;
  /** Ends the talk at once, as for a line that is gone; resolves when the transcript is complete. */
  close(reason: CallEndReason, detail?: string): Promise<void>;
  transfer(to: string): Promise<boolean>;
}

/** No words within this time: what sounded like an interruption was none. */
const wordsWithinMs = 2_000;
/** A tool that is quicker needs no words. */
const fillerAfterMs = 600;
const silenceMs = 10_000;
const checkingEveryMs = 20_000;
const farewellMs = 5_000;
const maxFailures = 3;

interface OpenTurn {
  id: string;
  isPaused: boolean;
  isStopping: boolean;
  tools: Set<string>;
}

/** One conversation on one line: listens, lets the bot answer, and speaks. */
export function createTalk(options: TalkOptions): Talk {
  const { line, phrases, ports, log } = options;
  const now = () => performance.now();
  let turn: OpenTurn | undefined;
  /** What the caller said while a turn could not be interrupted. */
  let queued: HeardTurn | undefined;
  /** What is not part of a turn, by its id: phrases and the greeting. */
  const phrasesSaid = new Map<string, string>();
  let isInterrupted = false;
  let interruption: NodeJS.Timeout | undefined;
  let quiet: NodeJS.Timeout | undefined;
  let checking: NodeJS.Timeout | undefined;
  let filler: NodeJS.Timeout | undefined;
  let prompts = 0;
  let failures = 0;
  let isEnding = false;
  let isOver = false;
  /** Writes of the transcript, in order. */
  let written: Promise<void> = Promise.resolve();
  const times = createTurnTimes(now);

  const speaking = createSpeaking({
    line,
    speaker: options.speaker,
    onSaid(utteranceId, said) {
      if (turn && !phrasesSaid.has(utteranceId)) times.noteSpeech(turn.id);
      line.show?.({ type: 'said', text: said });
      line.show?.({ type: 'state', state: 'speaking' });
    },
    onSilent() {
      noteHeard();
      waitForCaller();
    },
    onFailure(error) {
      log.warn({ err: error }, 'Speech could not be made.');
      end('speech_failed');
    },
    onSpoken: ports.onSpoken,
  });

  const hearing = createHearing({
    detector: options.detector,
    listen: options.listen,
    now,
    onSpeech() {
      clearTimeout(quiet);
      if (isEnding || !speaking.isActive || isInterrupted) return;
      isInterrupted = true;
      speaking.pause();
      interruption = setTimeout(goOn, wordsWithinMs);
    },
    onWords(text, isFinal) {
      clearTimeout(quiet);
      line.show?.({ type: 'heard', text, isFinal });
      if (isInterrupted && !isBackChannel(text)) interrupt();
    },
    onTurn(heard) {
      if (isEnding || isOver) return noteWords(heard.text);
      if (isBackChannel(heard.text) && (isInterrupted || speaking.isActive || turn)) return goOn();
      prompts = 0;
      answer(heard);
    },
    onFailure(error) {
      log.warn({ err: error }, 'Speech could not be understood any more.');
      end('speech_failed', phrases.sorryGoodbye);
    },
  });

  const digits = createDigits((pressed) => {
    const at = now();
    clearTimeout(quiet);
    if (!isEnding) answer({ text: pressed, speechEndedAt: at, textAt: at, decidedAt: at });
  });

  const unfollow = ports.follow(
    createReplyFollower({
      onPiece(messageId, text) {
        if (!turn || turn.isStopping || isOver) return;
        clearTimeout(filler);
        times.noteText(turn.id);
        speaking.say(messageId, text);
      },
      onToolStarted(callId, name) {
        turn?.tools.add(callId);
        if (ports.spokenAbout(name).during) filler ??= setTimeout(sayFiller, fillerAfterMs);
      },
      onToolCompleted(callId, name) {
        turn?.tools.delete(callId);
        clearTimeout(filler);
        filler = undefined;
        if (ports.spokenAbout(name).after) sayPhrase(phrases.thanksForWaiting);
      },
      onPaused(turnId) {
        if (turn?.id !== turnId) return;
        turn.isPaused = true;
        sayPhrase(phrases.beingChecked);
        checking = setInterval(() => sayPhrase(phrases.stillChecking), checkingEveryMs);
      },
      onResumed(turnId) {
        if (turn?.id === turnId) turn.isPaused = false;
        clearInterval(checking);
      },
      onTurnEnd: endTurn,
    }),
    () => end('stopped'),
  );

  line.listen({
    onAudio: hearing.push,
    onDigit: digits.push,
    onEnd: (lineEnd) => void close(reasonOf(lineEnd), lineEnd.detail),
  });
  sayPhrase(options.greeting);

  function sayFiller(): void {
    if (!speaking.isActive) sayPhrase(phrases.oneMoment);
  }

  function sayPhrase(text: string): void {
    if (isOver || text.trim() === '') return;
    const id = newId();
    phrasesSaid.set(id, text);
    speaking.say(id, text);
  }

  /** Everything was heard: phrases become part of the transcript. */
  function noteHeard(): void {
    for (const text of phrasesSaid.values()) write(() => ports.note('assistant', text, false));
    phrasesSaid.clear();
  }

  function noteWords(text: string): void {
    write(() => ports.note('user', text, false));
  }

  function write(work: () => Promise<void>): void {
    written = written.then(work).catch((error: unknown) => {
      log.error({ err: error }, 'The transcript of a call could not be completed.');
    });
  }

  /** It was no interruption. */
  function goOn(): void {
    clearTimeout(interruption);
    isInterrupted = false;
    if (!isOver) speaking.resume();
    if (!speaking.isActive) waitForCaller();
  }

  /** The caller really wants to say something: the rest of what the bot was saying is dropped. */
  function interrupt(): void {
    clearTimeout(interruption);
    isInterrupted = false;
    cutShort(speaking.discard());
    if (turn) times.noteInterrupted(turn.id);
    line.show?.({ type: 'state', state: 'listening' });
  }

  function cutShort(cuts: readonly CutUtterance[]): void {
    for (const { utteranceId, heard, isWhole } of cuts) {
      const isPhrase = phrasesSaid.delete(utteranceId);
      line.show?.({ type: 'cut', text: heard });
      if (isPhrase) {
        if (heard !== '') write(() => ports.note('assistant', heard, !isWhole));
        continue;
      }
      // A turn that is still running would write the whole reply: it is stopped first.
      const isRunning = turn !== undefined && !turn.isPaused && turn.tools.size === 0;
      if (isRunning) stopTurn();
      if (!isWhole || isRunning) write(() => ports.cut(utteranceId, heard));
    }
  }

  function stopTurn(): void {
    if (!turn || turn.isStopping) return;
    turn.isStopping = true;
    write(() => ports.stopTurn());
  }

  function answer(heard: HeardTurn): void {
    if (speaking.isActive) interrupt();
    if (turn) {
      // A tool that was started must end, and a person's decision is waited for; otherwise the caller's new words replace the reply.
      if (turn.isPaused) sayPhrase(phrases.stillChecking);
      else if (turn.tools.size === 0) stopTurn();
      queued = queued ? { ...heard, text: `${queued.text} ${heard.text}` } : heard;
      return;
    }
    begin(heard);
  }

  function begin(heard: HeardTurn): void {
    const id = newId();
    turn = { id, isPaused: false, isStopping: false, tools: new Set() };
    times.begin(id, heard);
    clearTimeout(quiet);
    line.show?.({ type: 'heard', text: heard.text, isFinal: true });
    line.show?.({ type: 'state', state: 'thinking' });
    // After what is being written: the model must see the reply as it was heard.
    written = written
      .then(() => ports.beginTurn(id, heard.text))
      .catch((error: unknown) => {
        log.warn({ err: error }, 'A turn of a call could not begin.');
        noteWords(heard.text);
        endTurn(id, 'failed', codeOf(error));
      });
  }

  function endTurn(turnId: string, outcome: 'completed' | 'interrupted' | 'failed', code?: string): void {
    if (turn?.id !== turnId) return;
    turn = undefined;
    clearTimeout(filler);
    filler = undefined;
    clearInterval(checking);
    if (isOver) return;
    if (outcome === 'completed') failures = 0;
    if (outcome === 'failed') return fail(code);
    const next = queued;
    queued = undefined;
    if (next) return begin(next);
    if (!speaking.isActive) waitForCaller();
    void speaking.silent().then(() => ports.saveTimes(turnId, times.take(turnId)));
  }

  function fail(code: string | undefined): void {
    failures += 1;
    queued = undefined;
    if (code === 'INSUFFICIENT_BALANCE') end('insufficient_balance', phrases.goodbyeLimit);
    else if (failures >= maxFailures) end('bot_failed', phrases.sorryGoodbye);
    else sayPhrase(phrases.sorry);
  }

  /** Nothing is going on: the caller is expected to speak. */
  function waitForCaller(): void {
    clearTimeout(quiet);
    if (isOver || isEnding || turn || hearing.isSpeaking) return;
    line.show?.({ type: 'state', state: 'listening' });
    quiet = setTimeout(() => {
      if (speaking.isActive || turn || hearing.isSpeaking || hearing.words !== '') return;
      prompts += 1;
      if (prompts > 1) end('silence', phrases.goodbyeSilence);
      else sayPhrase(phrases.stillThere);
    }, silenceMs);
  }

  function end(reason: CallEndReason, farewell?: string): void {
    if (isEnding || isOver) return;
    isEnding = true;
    clearTimeout(quiet);
    line.show?.({ type: 'ending', reason });
    if (farewell !== undefined) {
      cutShort(speaking.discard());
      sayPhrase(farewell);
    }
    const heard = Promise.race([speaking.silent(), sleep(farewellMs)]);
    void heard.then(() => close(reason));
  }

  async function close(reason: CallEndReason, detail?: string): Promise<void> {
    if (isOver) return written;
    const words = hearing.words;
    cutShort(speaking.discard());
    isOver = true;
    for (const timer of [interruption, quiet, checking, filler]) clearTimeout(timer);
    hearing.close();
    digits.close();
    speaking.close();
    if (turn) stopTurn();
    if (words !== '') noteWords(words);
    await written;
    unfollow();
    line.hangUp();
    options.onEnd(reason, detail);
  }

  return {
    end,
    endAfterFarewell: () => end('bot_hung_up'),
    close,
    async transfer(to) {
      await Promise.race([speaking.silent(), sleep(farewellMs)]);
      if (isOver) return false;
      try {
        await line.transfer(to);
        return true;
      } catch (error) {
        log.warn({ err: error }, 'A caller could not be transferred.');
        return false;
      }
    },
  };
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function reasonOf({ cause }: LineEnd): CallEndReason {
  switch (cause) {
    case 'remote_hangup':
      return 'caller_hung_up';
    case 'local_hangup':
      return 'bot_hung_up';
    case 'time_limit':
      return 'max_duration';
    case 'failed':
      return 'line_failed';
    case 'transferred':
    case 'busy':
    case 'no_answer':
    case 'declined':
    case 'voicemail':
      return cause;
  }
}
