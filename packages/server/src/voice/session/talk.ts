import { setTimeout as sleep } from 'node:timers/promises';
import type { CallEndReason } from '@svc/contract/calls';
import { AppError } from '../../app-error.ts';
import { newId } from '../../new-id.ts';
import { reasonOf } from '../exchange/end-reason.ts';
import { createCallerSilence } from './caller-silence.ts';
import { createDigits } from './digits.ts';
import { isBackChannel } from './end-of-turn.ts';
import { createHearing, type HeardTurn } from './hearing.ts';
import { createInterruption } from './interruption.ts';
import { createOrderedWrites } from './ordered-writes.ts';
import { createReplyFollower } from './reply-follower.ts';
import { type CutUtterance, createSpeaking } from './speaking.ts';
import type { OpenTurn, Talk, TalkOptions } from './talk-ports.ts';
import { transferLine } from './transfer-line.ts';
import { createTurnTimes } from './turn-times.ts';
import { createWaitingWords } from './waiting-words.ts';

const farewellMs = 5_000;
const maxFailures = 3;

/** One conversation on one line: listens, lets the bot answer, and speaks. */
export function createTalk(options: TalkOptions): Talk {
  const { line, phrases, ports, log } = options;
  const now = () => performance.now();
  let turn: OpenTurn | undefined;
  /** What the caller said while a turn could not be interrupted. */
  let queued: HeardTurn | undefined;
  /** What is not part of a turn, by its id: phrases and the greeting. Undefined once it is in the transcript. */
  const phrasesSaid = new Map<string, string | undefined>();
  const interruption = createInterruption(goOn);
  let failures = 0;
  let isEnding = false;
  /** A farewell was said: the bot says nothing after it. */
  let isMuted = false;
  let isOver = false;
  const turnEnds: (() => void)[] = [];
  const writes = createOrderedWrites(log);
  const times = createTurnTimes(now);
  /** The turn that each message belongs to, until it was heard. */
  const turnOf = new Map<string, string>();

  const speaking = createSpeaking({
    line,
    speaker: options.speaker,
    onSaid(utteranceId, said) {
      times.noteSpeech(turnOf.get(utteranceId));
      const phrase = phrasesSaid.get(utteranceId);
      if (phrase !== undefined) {
        phrasesSaid.set(utteranceId, undefined);
        writes.add(() => ports.note({ id: utteranceId, role: 'assistant', text: phrase }));
      }
      line.show?.({ type: 'said', id: utteranceId, text: said });
      line.show?.({ type: 'state', state: 'speaking' });
    },
    onSilent: waitForCaller,
    onFailure(error) {
      log.warn({ err: error }, 'Speech could not be made.');
      end('speech_failed');
    },
    onSpoken: ports.onSpoken,
  });

  const silence = createCallerSilence({
    isQuiet: () => !speaking.isActive && !turn && !hearing.isSpeaking && hearing.words === '',
    onFirst: () => sayPhrase(phrases.stillThere),
    onSecond: () => end('silence', phrases.goodbyeSilence),
  });
  const waiting = createWaitingWords({
    phrases,
    spokenAbout: ports.spokenAbout,
    isSpeaking: () => speaking.isActive,
    say: sayPhrase,
  });

  const hearing = createHearing({
    detector: options.detector,
    listen: options.listen,
    now,
    onSpeech() {
      silence.cancel();
      if (isEnding || !speaking.isActive) return;
      speaking.pause();
      interruption.begin();
    },
    onWords(text) {
      silence.cancel();
      line.show?.({ type: 'heard', text, isFinal: false });
      if (interruption.isOpen && !isBackChannel(text)) interrupt();
    },
    onTurn(heard) {
      if (isEnding || isOver) return noteWords(heard.text);
      if (isBackChannel(heard.text) && (speaking.isActive || turn)) return goOn();
      silence.reset();
      answer(heard);
    },
    onFailure(error) {
      log.warn({ err: error }, 'Speech could not be understood any more.');
      end('speech_failed', phrases.sorryGoodbye);
    },
  });

  const digits = createDigits((pressed) => {
    const at = now();
    silence.reset();
    if (!isEnding) answer({ text: pressed, speechEndedAt: at, textAt: at, decidedAt: at });
  });

  const unfollow = ports.follow(
    createReplyFollower({
      onPiece(messageId, text) {
        if (!turn || turn.isStopping || isOver || isMuted) return;
        waiting.repliesNow();
        times.noteText(turn.id);
        turnOf.set(messageId, turn.id);
        speaking.say(messageId, text);
      },
      onToolStarted(callId, tool) {
        turn?.tools.add(callId);
        waiting.toolStarted(tool);
      },
      onToolCompleted(callId, tool) {
        turn?.tools.delete(callId);
        waiting.toolCompleted(tool);
      },
      onPaused(turnId) {
        if (turn?.id !== turnId) return;
        turn.isPaused = true;
        waiting.paused();
      },
      onResumed(turnId) {
        if (turn?.id === turnId) turn.isPaused = false;
        waiting.resumed();
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

  function sayPhrase(text: string): void {
    if (isOver || isMuted || text.trim() === '') return;
    const id = newId();
    phrasesSaid.set(id, text);
    speaking.say(id, text);
  }

  function noteWords(text: string): void {
    writes.add(() => ports.note({ id: newId(), role: 'user', text }));
  }

  /** It was no interruption. */
  function goOn(): void {
    interruption.end();
    if (!isOver) speaking.resume();
    if (!speaking.isActive) waitForCaller();
  }

  /** The caller really wants to say something: the rest of what the bot was saying is dropped. */
  function interrupt(): void {
    interruption.end();
    cutShort(speaking.discard());
    line.show?.({ type: 'state', state: 'listening' });
  }

  function cutShort(cuts: readonly CutUtterance[]): void {
    for (const { utteranceId, heard, isWhole } of cuts) {
      line.show?.({ type: 'cut', id: utteranceId, text: heard });
      const isPhrase = phrasesSaid.has(utteranceId);
      const isUnsaid = phrasesSaid.get(utteranceId) !== undefined;
      phrasesSaid.delete(utteranceId);
      if (isUnsaid) continue;
      times.noteInterrupted(turnOf.get(utteranceId));
      // A turn that is still running would write the whole reply: it is stopped first.
      const isRunning = !isPhrase && turn !== undefined && !turn.isPaused && turn.tools.size === 0;
      if (isRunning) stopTurn();
      if (!isWhole || isRunning) writes.add(() => ports.cut(utteranceId, heard));
    }
  }

  function stopTurn(): void {
    if (!turn || turn.isStopping) return;
    turn.isStopping = true;
    writes.add(() => ports.stopTurn());
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
    silence.cancel();
    line.show?.({ type: 'heard', text: heard.text, isFinal: true });
    line.show?.({ type: 'state', state: 'thinking' });
    // After what is being written: the model must see the reply as it was heard.
    writes.add(() =>
      ports.beginTurn(id, heard.text).catch((error: unknown) => {
        log.warn({ err: error }, 'A turn of a call could not begin.');
        noteWords(heard.text);
        endTurn(id, 'failed', error instanceof AppError ? error.code : undefined);
      }),
    );
  }

  function endTurn(turnId: string, outcome: 'completed' | 'interrupted' | 'failed', code?: string): void {
    if (turn?.id !== turnId) return;
    turn = undefined;
    waiting.stop();
    void speaking.silent().then(() => ports.saveTimes(turnId, times.take(turnId)));
    for (const resolve of turnEnds.splice(0)) resolve();
    if (isOver) return;
    if (outcome === 'completed') failures = 0;
    if (outcome === 'failed') return fail(code);
    const next = queued;
    queued = undefined;
    if (next) return begin(next);
    if (!speaking.isActive) waitForCaller();
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
    if (isOver || isEnding || turn || hearing.isSpeaking) return;
    line.show?.({ type: 'state', state: 'listening' });
    silence.expect();
  }

  function end(reason: CallEndReason, farewell?: string): void {
    if (isEnding || isOver) return;
    isEnding = true;
    silence.cancel();
    line.show?.({ type: 'ending', reason });
    if (farewell !== undefined) {
      cutShort(speaking.discard());
      sayPhrase(farewell);
      isMuted = true;
    }
    // A bot that hangs up before it has said goodbye may do so now.
    const isToSay = farewell === undefined && !speaking.isActive && turn !== undefined;
    const said = isToSay ? new Promise<void>((resolve) => turnEnds.push(resolve)) : Promise.resolve();
    const heard = said.then(() => speaking.silent());
    void Promise.race([heard, sleep(farewellMs, undefined, { ref: false })]).then(() => close(reason));
  }

  async function close(reason: CallEndReason, detail?: string): Promise<void> {
    if (isOver) return writes.done();
    const words = hearing.words;
    cutShort(speaking.discard());
    isOver = true;
    interruption.end();
    silence.cancel();
    waiting.stop();
    hearing.close();
    digits.close();
    speaking.close();
    if (turn) stopTurn();
    if (words !== '') noteWords(words);
    line.hangUp();
    await writes.done();
    unfollow();
    options.onEnd(reason, detail);
  }

  return {
    end,
    endAfterFarewell: () => end('bot_hung_up'),
    close,
    async transfer(to) {
      await Promise.race([speaking.silent(), sleep(farewellMs, undefined, { ref: false })]);
      return isOver ? false : transferLine(line, to, log);
    },
  };
}
