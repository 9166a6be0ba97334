import type { CallEndReason } from '@svc/contract/calls';
import { reasonOf } from '../exchange/call-end-reason.ts';
import { SpeechFailed } from '../speech/speech.ts';
import { createCallerSilence } from './caller-silence.ts';
import { createDigits } from './digits.ts';
import { isBackChannel } from './end-of-turn.ts';
import { createEnding } from './ending.ts';
import { createHearing } from './hearing.ts';
import { createInterruption } from './interruption.ts';
import { createOrderedWrites } from './ordered-writes.ts';
import { createReplyFollower } from './reply-follower.ts';
import { sayReplies } from './say-replies.ts';
import type { SpokenPiece } from './sentences.ts';
import { speakable } from './speakable.ts';
import { type CutUtterance, createSpeaking } from './speaking.ts';
import type { Talk, TalkOptions } from './talk-ports.ts';
import { createTalkTranscript } from './talk-transcript.ts';
import { createTalkTurns } from './talk-turns.ts';
import { transferLine } from './transfer-line.ts';
import { createWaitingWords } from './waiting-words.ts';
import { within } from './within-call-time.ts';

const farewellMs = 5_000;
/** A "yeah" at the end of what the bot says is an answer. */
const endOfSpeechMs = 1_000;

/** One conversation on one line: listens, lets the bot answer, and speaks. */
export function createTalk(options: TalkOptions): Talk {
  const { line, phrases, keypad, ports, log } = options;
  const now = () => performance.now();
  let isEnding = false;
  /** A farewell was said: the bot says nothing after it. */
  let isMuted = false;
  let isOver = false;
  const ending = createEnding();
  const writes = createOrderedWrites(log);
  const transcript = createTalkTranscript(ports, writes);

  const speaking = createSpeaking({
    line,
    speaker: options.speaker,
    onSaid(utteranceId, said) {
      keypad.noteReply();
      turns.noteSpeech(transcript.began(utteranceId));
      line.show?.({ type: 'said', id: utteranceId, text: said });
      line.show?.({ type: 'state', state: 'speaking' });
    },
    onSilent() {
      transcript.allHeard();
      waitForCaller();
    },
    onFailure(error) {
      log.warn({ err: error }, 'Speech could not be made.');
      void close('speech_failed', explain(error));
    },
    onSpoken: ports.onSpoken,
  });
  const interruption = createInterruption({ speaking, hasWords: isCallerTalking, onNone: goOn });

  const turns = createTalkTurns({
    ports,
    writes,
    transcript,
    now,
    log,
    whenHeard: () => speaking.silent(),
    onBegin(heard) {
      silence.cancel();
      line.show?.({ type: 'heard', text: heard.text, isFinal: true });
      line.show?.({ type: 'state', state: 'thinking' });
    },
    onEnd: () => waiting.stop(),
    onIdle() {
      if (!speaking.isActive) waitForCaller();
    },
    onFailed(failure) {
      if (failure === 'no money') end('insufficient_balance', phrases.goodbyeLimit);
      else if (failure === 'too often') end('bot_failed', phrases.sorryGoodbye);
      else if (!isCallerTalking()) sayPhrase(phrases.sorry);
    },
  });

  const silence = createCallerSilence({
    isQuiet: () => !speaking.isActive && !turns.isOpen && hearing.words === '' && !digits.isCollecting,
    isSounding: () => hearing.isSpeaking || hearing.isLate,
    onFirst: () => sayPhrase(phrases.stillThere),
    onSecond: () => end('silence', phrases.goodbyeSilence),
    now,
  });
  const waiting = createWaitingWords({
    phrases,
    spokenAbout: ports.spokenAbout,
    isBotSpeaking: () => speaking.isActive,
    isCallerSpeaking: () => hearing.isSpeaking || isCallerTalking(),
    say: sayPhrase,
  });

  const hearing = createHearing({
    detector: options.detector,
    listen: options.listen,
    now,
    onSpeech() {
      silence.sound();
      if (!isEnding && speaking.isActive) interruption.begin();
    },
    onQuiet() {
      if (silence.isExpecting) silence.sound();
      else if (!speaking.isActive) waitForCaller();
    },
    onWords(text) {
      silence.cancel();
      line.show?.({ type: 'heard', text, isFinal: false });
      if (isEnding || isBackChannel(text)) return;
      if (hearing.isTentative) return speaking.isActive ? interruption.begin() : undefined;
      takeFloor();
    },
    onTurn(heard) {
      if (isEnding || isOver) return transcript.noteWords(heard.text);
      const isListening = turns.isOpen || speaking.remainingMs > endOfSpeechMs;
      if (isBackChannel(heard.text) && isListening) return goOn();
      answer(heard);
    },
    onFailure(error) {
      log.warn({ err: error }, 'Speech could not be understood any more.');
      end('speech_failed', phrases.sorryGoodbye, explain(error));
    },
  });

  const digits = createDigits((pressed) => {
    const at = now();
    const text = keypad.note(pressed, at);
    if (isEnding || isOver) return transcript.noteWords(text);
    answer({ text, speechEndedAt: at, textAt: at, decidedAt: at });
  });

  const unfollow = ports.follow(
    createReplyFollower(
      sayReplies({
        turns,
        transcript,
        waiting,
        isMuted: () => isOver || isMuted,
        isCallerTalking: isMeant,
        speak,
      }),
    ),
    (why) => (why === 'deleted' ? end('stopped') : end('bot_failed', phrases.sorryGoodbye)),
  );

  line.listen({
    onAudio: hearing.push,
    onDigit: press,
    onEnd: (lineEnd) => void close(reasonOf(lineEnd), lineEnd.detail),
  });
  sayPhrase(options.greeting);

  /** The caller is saying more than that they are listening, or is pressing keys. */
  function isCallerTalking(): boolean {
    return digits.isCollecting || (hearing.words !== '' && !isBackChannel(hearing.words));
  }

  /** The same, and it cannot be a cough. */
  function isMeant(): boolean {
    return digits.isCollecting || (isCallerTalking() && !hearing.isTentative);
  }

  function press(digit: string): void {
    if (isOver) return;
    silence.reset();
    if (!isEnding) takeFloor();
    digits.push(digit);
  }

  function sayPhrase(text: string): void {
    if (isOver || isMuted || text.trim() === '') return;
    speak(transcript.addPhrase(text), { text, spoken: speakable(text) });
  }

  function speak(utteranceId: string, piece: SpokenPiece): void {
    const isFirst = !speaking.isActive;
    speaking.say(utteranceId, piece);
    // Somebody who has just begun to speak may be about to say something.
    if (isFirst && !isEnding && (hearing.hasJustBegun || isCallerTalking())) interruption.begin();
  }

  /** It was not an interruption. */
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

  /** What the caller says now belongs to what is being answered. */
  function takeFloor(): void {
    if (speaking.isActive) interrupt();
    turns.stopForCaller();
  }

  function cutShort(cuts: readonly CutUtterance[]): void {
    for (const cut of cuts) {
      line.show?.({ type: 'cut', id: cut.utteranceId, text: cut.heard });
      transcript.cut(cut, (turnId) => {
        turns.noteInterrupted(turnId);
        // A turn that is still running would write the whole reply: it is stopped first.
        return turns.stopForCaller(turnId);
      });
    }
  }

  function answer(heard: Parameters<typeof turns.answer>[0]): void {
    silence.reset();
    if (speaking.isActive) interrupt();
    if (turns.answer(heard) === 'being checked') waiting.asked();
  }

  /** Nothing is going on: the caller is expected to speak. */
  function waitForCaller(): void {
    if (isOver || isEnding || turns.isOpen || isCallerTalking()) return;
    line.show?.({ type: 'state', state: 'listening' });
    silence.expect();
  }

  function end(reason: CallEndReason, farewell?: string, detail?: string): void {
    if (isEnding || isOver) return;
    isEnding = true;
    ending.note(reason, detail);
    turns.takeNoMore();
    silence.cancel();
    interruption.end();
    line.show?.({ type: 'ending', reason });
    if (farewell === undefined) speaking.resume();
    else {
      cutShort(speaking.discard());
      sayPhrase(farewell);
      isMuted = true;
    }
    // A bot that hangs up before it has said goodbye may do so now.
    const isToSay = farewell === undefined && !speaking.isActive;
    const said = isToSay ? turns.over() : Promise.resolve();
    const heard = said.then(() => speaking.silent());
    void within(farewellMs, heard).then(() => close(reason, detail));
  }

  async function close(reason: CallEndReason, detail?: string): Promise<void> {
    if (isOver) return writes.done();
    isEnding = true;
    const ended = ending.note(reason, detail);
    turns.takeNoMore();
    const pressed = digits.close();
    const unanswered = [pressed && keypad.note(pressed, now()), hearing.words].filter(Boolean);
    cutShort(speaking.discard());
    isOver = true;
    interruption.end();
    silence.cancel();
    waiting.stop();
    hearing.close();
    speaking.close();
    turns.giveUp();
    for (const words of unanswered) transcript.noteWords(words);
    line.hangUp();
    options.onOver();
    await writes.done();
    unfollow();
    // The last events may have begun something.
    waiting.stop();
    turns.close();
    options.onEnd(ended.reason, ended.detail);
  }

  return {
    end,
    endAfterFarewell: () => end('bot_hung_up'),
    close,
    async transfer(to) {
      await within(farewellMs, speaking.silent());
      return isOver ? false : transferLine(line, to, log);
    },
  };
}

/** Only these are written for operators. */
function explain(error: unknown): string | undefined {
  return error instanceof SpeechFailed ? error.message : undefined;
}
