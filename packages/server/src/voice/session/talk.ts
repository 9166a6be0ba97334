import type { CallEndReason } from '@svc/contract/calls';
import { newId } from '../../new-id.ts';
import { reasonOf } from '../exchange/end-reason.ts';
import { createDigits } from './digits.ts';
import { isBackChannel } from './end-of-turn.ts';
import { createHearing, type HeardTurn } from './hearing.ts';
import { createReplyFollower } from './reply-follower.ts';
import { type CutUtterance, createSpeaking } from './speaking.ts';
import type { Talk, TalkOptions } from './talk-ports.ts';
import { createTurnTimes } from './turn-times.ts';

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
  const turnEnds: (() => void)[] = [];
  /** Writes of the transcript, in order. */
  let written: Promise<void> = Promise.resolve();
  const times = createTurnTimes(now);
  /** The turn that each message belongs to, until it was heard. */
  const turnOf = new Map<string, string>();

  const speaking = createSpeaking({
    line,
    speaker: options.speaker,
    onSaid(utteranceId, said) {
      times.noteSpeech(turnOf.get(utteranceId));
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
        turnOf.set(messageId, turn.id);
        speaking.say(messageId, text);
      },
      onToolStarted(callId, tool) {
        turn?.tools.add(callId);
        if (ports.spokenAbout(tool).during) filler ??= setTimeout(sayFiller, fillerAfterMs);
      },
      onToolCompleted(callId, tool) {
        turn?.tools.delete(callId);
        clearTimeout(filler);
        filler = undefined;
        if (ports.spokenAbout(tool).after) sayPhrase(phrases.thanksForWaiting);
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
      times.noteInterrupted(turnOf.get(utteranceId));
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
    void speaking.silent().then(() => saveTimes(turnId));
    for (const resolve of turnEnds.splice(0)) resolve();
    if (isOver) return;
    if (outcome === 'completed') failures = 0;
    if (outcome === 'failed') return fail(code);
    const next = queued;
    queued = undefined;
    if (next) return begin(next);
    if (!speaking.isActive) waitForCaller();
  }

  function saveTimes(turnId: string): void {
    for (const [messageId, id] of turnOf) if (id === turnId) turnOf.delete(messageId);
    ports.saveTimes(turnId, times.take(turnId));
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
    // A bot that hangs up before it has said goodbye may do so now.
    const isToSay = farewell === undefined && !speaking.isActive && turn !== undefined;
    const said = isToSay ? new Promise<void>((resolve) => turnEnds.push(resolve)) : Promise.resolve();
    const heard = said.then(() => speaking.silent());
    void Promise.race([heard, sleep(farewellMs)]).then(() => close(reason));
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
