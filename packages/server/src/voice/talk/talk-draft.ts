import { withoutQuotation } from '../../lib/without-quotation.ts';
import { isBackChannel } from './end-of-speech.ts';
import { type HeardSpeech, wholeText } from './hearing.ts';
import type { SpokenPiece } from './sentences.ts';
import { speakable } from './speakable.ts';
import type { CallEnding, OpenTurn, TalkEffect, TalkState, TalkTimer, Utterance } from './talk-state.ts';
import { type Answer, timesOf } from './turn-times.ts';

/** The last words of a call take at most this long. */
export const farewellMs = 5_000;
/** By then the recognizer has reported the words. */
const wordsWithinMs = 2_000;
const silenceMs = 10_000;
/** Sounds without words delay the question about silence, but a noisy line must not stay open forever. */
export const maxNoiseMs = 30_000;

/** The state while an event is handled, and what is to be done. */
export interface Draft extends Omit<TalkState, 'utterances' | 'answers' | 'timers'> {
  utterances: Map<string, Utterance>;
  answers: Map<string, Readonly<Answer>>;
  timers: Partial<Record<TalkTimer, number>>;
  at: number;
  newId: string;
  effects: TalkEffect[];
}

/** The caller is saying more than that they are listening, or is pressing keys. */
export function isTalking({ pressed, words }: Draft): boolean {
  return pressed !== '' || (words !== '' && !isBackChannel(words));
}

/** The same, or there are sounds that may become words. */
export function isCallerSpeaking(talk: Draft): boolean {
  return talk.speakingSince !== undefined || isTalking(talk);
}

export function isSayingWhatMustBeHeard({ isBotSpeaking, mustBeHeard, at }: Draft): boolean {
  return isBotSpeaking && mustBeHeard !== undefined && at < mustBeHeard.until;
}

export function suspectInterruption(talk: Draft): void {
  talk.effects.push({ type: 'pause' });
  talk.timers.interruption ??= talk.at + wordsWithinMs;
}

export function discard(talk: Draft): void {
  delete talk.timers.interruption;
  talk.effects.push({ type: 'discard' });
  talk.isBotSpeaking = false;
}

/** The talk is idle: the caller is expected to speak. */
export function waitForCaller(talk: Draft): void {
  if (talk.stage !== 'talking' || talk.turn || isTalking(talk)) return;
  talk.effects.push({ type: 'show', notice: { type: 'state', state: 'listening' } });
  talk.expectingSince = talk.at;
  delaySilence(talk);
}

export function stopExpecting(talk: Draft): void {
  delete talk.timers.silence;
  talk.expectingSince = undefined;
}

/** There is a sound, which may become words. */
export function delaySilence(talk: Draft): void {
  if (talk.expectingSince === undefined) return;
  talk.timers.silence = Math.min(talk.at + silenceMs, talk.expectingSince + maxNoiseMs);
}

export function sayPhrase(talk: Draft, text: string): void {
  if (talk.stage === 'over' || talk.stage === 'farewell' || text.trim() === '') return;
  const phrase: Utterance = { kind: 'phrase', text, heard: '', isCut: false };
  // A reply may be stored before this phrase is heard, and is heard after it: the transcript has them in that order.
  if (talk.turn) talk.effects.push({ type: 'note phrase', id: talk.newId, text });
  talk.utterances.set(talk.newId, talk.turn ? { ...phrase, noteId: talk.newId } : phrase);
  say(talk, talk.newId, { text, spoken: speakable(text) });
}

export function say(talk: Draft, utteranceId: string, piece: SpokenPiece): void {
  const isFirst = !talk.isBotSpeaking;
  talk.isBotSpeaking = true;
  talk.effects.push({ type: 'say', utteranceId, piece });
  // A caller who has just begun to speak may be about to say something.
  if (!isFirst || talk.stage !== 'talking' || isSayingWhatMustBeHeard(talk)) return;
  const hasJustBegun = talk.speakingSince !== undefined && talk.at - talk.speakingSince < wordsWithinMs;
  if (hasJustBegun || isTalking(talk)) suspectInterruption(talk);
}

export function shorten(talk: Draft, messageId: string, heard: string): void {
  talk.effects.push({ type: 'shorten', messageId, heard: withoutQuotation(heard) });
}

export function changeTurn(talk: Draft, change: Partial<OpenTurn>): void {
  if (talk.turn) talk.turn = { ...talk.turn, ...change };
}

export function stopTurn(talk: Draft): void {
  if (!talk.turn || talk.turn.isStopping) return;
  changeTurn(talk, { isStopping: true });
  talk.effects.push({ type: 'stop turn' });
}

/** True if the turn is stopped: a tool that was started must end, and a person's decision is waited for. */
export function stopForCaller(talk: Draft, turnId = talk.turn?.id): boolean {
  const { turn } = talk;
  if (!turn || turn.id !== turnId || turn.approval || turn.tools.size > 0) return false;
  stopTurn(talk);
  return true;
}

/** What is stored as a correction has what else was in the message of the wrong guess, which is to be emptied. */
export function replaceGuess(
  talk: Draft,
  correction: HeardSpeech,
): { heard: HeardSpeech; replaces: string | undefined } {
  const { guess } = talk;
  talk.guess = undefined;
  if (!guess?.isWrong || !guess.messageId || willBeHeard(talk, guess.turnId))
    return { heard: correction, replaces: undefined };
  const { before } = guess.heard;
  const heard = { ...correction, before: wholeText({ before, text: correction.before ?? '' }) };
  return { heard, replaces: guess.messageId };
}

/** A reply that is being said to its end needs its question in the transcript. */
function willBeHeard({ isBotSpeaking, utterances }: Draft, turnId: string): boolean {
  return isBotSpeaking && [...utterances.values()].some((one) => one.turnId === turnId && !one.isCut);
}

/** What was said during a call that is about to end is not answered any more. */
export function noteQueued(talk: Draft): void {
  if (talk.queued) {
    const { heard, replaces } = replaceGuess(talk, talk.queued);
    noteUnanswered(talk, wholeText(heard), replaces);
  }
  talk.queued = undefined;
}

/** Before the guess is emptied: if the process dies in between, nothing is lost. */
export function noteUnanswered(talk: Draft, text: string, replaces: string | undefined): void {
  talk.effects.push({ type: 'note words', text });
  if (replaces !== undefined) shorten(talk, replaces, '');
}

export function noteTime(
  talk: Draft,
  turnId: string | undefined,
  what: 'firstTextAt' | 'firstSpeechAt',
  at = talk.at,
): void {
  const known = turnId !== undefined && talk.answers.get(turnId);
  if (known) talk.answers.set(turnId, { [what]: at, ...known });
}

/** For answers that were completely heard or cut short. */
export function saveAnswers(talk: Draft, isDone: (answer: Answer) => boolean): void {
  for (const [turnId, done] of talk.answers) {
    if (!isDone(done)) continue;
    talk.answers.delete(turnId);
    for (const [id, utterance] of talk.utterances)
      if (utterance.turnId === turnId) talk.utterances.delete(id);
    talk.effects.push({ type: 'save times', turnId, times: timesOf(done) });
  }
}

export function end(talk: Draft, ending: CallEnding, farewell?: string): void {
  if (talk.stage !== 'talking') return;
  talk.end = ending;
  talk.timers.farewell = talk.at + farewellMs;
  delete talk.timers.interruption;
  stopExpecting(talk);
  talk.effects.push({ type: 'show', notice: { type: 'ending', reason: ending.reason } });
  if (farewell === undefined) {
    // A bot that hangs up before it has said goodbye may do so now.
    talk.awaitsTurn = !talk.isBotSpeaking;
    talk.stage = 'last words';
    talk.effects.push({ type: 'resume' });
    return;
  }
  discard(talk);
  talk.stage = 'last words';
  sayPhrase(talk, farewell);
  talk.stage = 'farewell';
}
