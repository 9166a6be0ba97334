import { isBackChannel } from './end-of-speech.ts';
import { askToWait, beginTurn, endTurn, follow, remindOfApproval, tellOfApproval } from './follow-turn.ts';
import { type HeardSpeech, wholeText } from './hearing.ts';
import type { HeardUtterance } from './speaking.ts';
import {
  type Draft,
  delaySilence,
  discard,
  end,
  isSayingWhatMustBeHeard,
  isTalking,
  maxNoiseMs,
  noteQueued,
  noteTime,
  noteUnanswered,
  saveAnswers,
  sayPhrase,
  shorten,
  stopExpecting,
  stopForCaller,
  stopTurn,
  suspectInterruption,
  waitForCaller,
} from './talk-draft.ts';
import type {
  CallEnding,
  TalkEffect,
  TalkEvent,
  TalkState,
  TalkTimer,
  TimedTalkEvent,
} from './talk-state.ts';

/** Longer speech says more than that the caller is listening. */
const maxBackChannelMs = 700;
/** A "yeah" at the end of what the bot says is an answer. */
const endOfSpeechMs = 1_000;
/** The text of what was said is usually there long before. */
const lateMs = 4_000;
const stillLateMs = 10_000;
const maxExcuses = 3;
const keyPauseMs = 1_500;
const maxKeys = 40;

type Said = Extract<TalkEvent, { type: 'said' }>;

/** Pure: the state after an event, and the effects to carry out. */
export function nextTalkState(
  state: TalkState,
  event: TimedTalkEvent,
): { state: TalkState; effects: TalkEffect[] } {
  const draft: Draft = {
    ...state,
    utterances: new Map(state.utterances),
    answers: new Map(state.answers),
    timers: { ...state.timers },
    at: event.at,
    newId: event.newId,
    effects: [],
  };
  handle(draft, event);
  // The last words were heard.
  if (draft.end && !draft.isBotSpeaking && !(draft.awaitsTurn && draft.turn)) close(draft, draft.end);
  if (draft.stage === 'over') draft.timers = {};
  const { effects, at: _at, newId: _newId, ...next } = draft;
  return { state: next, effects };
}

function handle(talk: Draft, event: TalkEvent): void {
  switch (event.type) {
    case 'speech':
      talk.speakingSince = talk.at;
      delaySilence(talk);
      if (talk.stage === 'talking' && talk.isBotSpeaking && stopsAtSounds(talk)) suspectInterruption(talk);
      return;
    case 'lull':
      if (event.speechMs <= maxBackChannelMs) resumeAfterSound(talk);
      return;
    case 'pause':
      talk.speakingSince = undefined;
      if (talk.stage === 'talking') talk.timers.late = talk.at + lateMs;
      return talk.words === '' ? noteQuiet(talk) : undefined;
    case 'words':
      return noteWords(talk, event.text, event.isTentative);
    case 'heard':
      return noteSpeech(talk, event.heard, event.remainingMs);
    case 'corrected':
      return correct(talk, event.heard, event.isMore);
    case 'key':
      return press(talk, event.digit);
    case 'keys': {
      const { at } = talk;
      if (talk.stage !== 'talking') talk.effects.push({ type: 'note words', text: event.text });
      else answer(talk, { text: event.text, speechEndedAt: at, textAt: at, decidedAt: at });
      return;
    }
    case 'phrase':
      if (event.mustBeHeard) talk.mustBeHeard = { utteranceId: talk.newId, until: Infinity };
      return sayPhrase(talk, event.text);
    case 'said':
      return noteSaid(talk, event);
    case 'silent':
      talk.isBotSpeaking = false;
      talk.mustBeHeard = undefined;
      for (const heard of event.heard) noteHeard(talk, heard);
      saveAnswers(talk, ({ isOver }) => isOver);
      return waitForCaller(talk);
    case 'discarded':
      for (const heard of event.heard) cut(talk, heard);
      return saveAnswers(talk, ({ isOver }) => isOver);
    case 'conversation':
      return follow(talk, event.event);
    case 'turn not begun':
      noteUnanswered(talk, event.text, event.replaces);
      return endTurn(talk, event.turnId, 'failed', event.code);
    case 'due':
      delete talk.timers[event.timer];
      return handleTimer(talk, event.timer, event.isLate);
    case 'end':
      return end(talk, event.ending, event.farewell);
    case 'close':
      return close(talk, event.ending);
    case 'closed':
      return saveAnswers(talk, () => true);
  }
}

function handleTimer(talk: Draft, timer: TalkTimer, isLate: boolean): void {
  switch (timer) {
    case 'interruption':
      return isTalking(talk) ? suspectInterruption(talk) : resume(talk);
    case 'keys':
      return finishKeys(talk);
    case 'silence':
      return noteSilence(talk, isLate);
    case 'late':
      return isLate ? excuseLateness(talk) : undefined;
    case 'tool':
      return askToWait(talk);
    case 'approval':
      return remindOfApproval(talk);
    case 'farewell':
      return talk.end && close(talk, talk.end);
  }
}

function noteWords(talk: Draft, text: string, isTentative: boolean): void {
  talk.words = text;
  talk.isTentative = isTentative;
  if (text === '') return talk.speakingSince === undefined ? noteQuiet(talk) : undefined;
  stopExpecting(talk);
  talk.effects.push({ type: 'show', notice: { type: 'heard', text, isFinal: false } });
  if (talk.stage !== 'talking' || finishesFirst(talk)) return;
  if (isBackChannel(text)) return talk.speakingSince === undefined ? resumeAfterSound(talk) : undefined;
  if (!isTentative) takeFloor(talk);
  else if (talk.isBotSpeaking && stopsAtSounds(talk)) suspectInterruption(talk);
}

/** Whether the bot pauses as soon as it hears a voice, before words are understood. */
function stopsAtSounds(talk: Draft): boolean {
  const { interruption = 'speech' } = talk.settings;
  return !isSayingWhatMustBeHeard(talk) && interruption === 'speech';
}

/** Whether the bot says what it is saying to its end: what the caller says meanwhile is answered after it. */
function finishesFirst(talk: Draft): boolean {
  return talk.isBotSpeaking && (isSayingWhatMustBeHeard(talk) || talk.settings.interruption === 'never');
}

function noteSpeech(talk: Draft, heard: HeardSpeech, remainingMs: number): void {
  talk.words = '';
  talk.isTentative = true;
  delete talk.timers.late;
  talk.excuses = 0;
  if (talk.stage !== 'talking') {
    talk.effects.push({ type: 'note words', text: heard.text });
    return;
  }
  const isListening = talk.turn !== undefined || remainingMs > endOfSpeechMs;
  if (isBackChannel(heard.text) && isListening) resume(talk);
  else answer(talk, heard);
}

/** A reply to a guess is replaced while nothing of it was heard; afterwards only if the guess was far too short. */
function correct(talk: Draft, heard: HeardSpeech, isMore: boolean): void {
  const isUnheard = [...talk.answers.values()].some(({ firstSpeechAt }) => firstSpeechAt === undefined);
  if (talk.stage !== 'talking' || !(isMore || isUnheard)) return;
  // A guess has the same end as its correction. It may still wait to be answered.
  const isReplaced = ({ speechEndedAt }: HeardSpeech) => speechEndedAt === heard.speechEndedAt;
  const { queued, guess } = talk;
  if (queued && isReplaced(queued)) {
    talk.queued = undefined;
    return answer(talk, { ...heard, before: queued.before });
  }
  if (guess && isReplaced(guess.heard)) talk.guess = { ...guess, isWrong: true };
  answer(talk, heard);
}

function press(talk: Draft, digit: string): void {
  if (talk.stage === 'over') return;
  stopExpecting(talk);
  talk.silences = 0;
  if (talk.stage === 'talking' && !isSayingWhatMustBeHeard(talk)) takeFloor(talk);
  const isEnd = digit === '#' && talk.pressed !== '';
  if (!isEnd) talk.pressed += digit;
  if (isEnd || talk.pressed.length >= maxKeys) finishKeys(talk);
  else talk.timers.keys = talk.at + keyPauseMs;
}

function finishKeys(talk: Draft): void {
  delete talk.timers.keys;
  if (talk.pressed !== '') talk.effects.push({ type: 'mask keys', digits: talk.pressed });
  talk.pressed = '';
}

/** What the caller says now belongs to what is being answered. */
function takeFloor(talk: Draft): void {
  stopForCaller(talk);
  if (!talk.isBotSpeaking) return;
  discard(talk);
  talk.effects.push({ type: 'show', notice: { type: 'state', state: 'listening' } });
}

function answer(talk: Draft, heard: HeardSpeech): void {
  stopExpecting(talk);
  talk.silences = 0;
  if (!finishesFirst(talk)) takeFloor(talk);
  if (!talk.turn) return beginTurn(talk, heard);
  const { queued } = talk;
  const before = queued ? wholeText({ before: heard.before, text: wholeText(queued) }) : heard.before;
  talk.queued = { ...heard, before };
  if (!talk.turn.approval) return;
  if (talk.turn.approval.isTold) sayPhrase(talk, talk.settings.phrases.stillChecking);
  else tellOfApproval(talk);
}

/** It was not an interruption. */
function resume(talk: Draft): void {
  delete talk.timers.interruption;
  talk.effects.push({ type: 'resume' });
  if (!talk.isBotSpeaking) waitForCaller(talk);
}

/** The bot does not wait for the words of a short sound: if they are an interruption after all, it stops again. */
function resumeAfterSound(talk: Draft): void {
  if (talk.timers.interruption !== undefined && !isTalking(talk)) resume(talk);
}

/** A sound has ended without words, or they were taken back. */
function noteQuiet(talk: Draft): void {
  if (talk.expectingSince !== undefined) delaySilence(talk);
  else if (!talk.isBotSpeaking) waitForCaller(talk);
}

function noteSilence(talk: Draft, isLate: boolean): void {
  const { phrases } = talk.settings;
  const isSounding = talk.speakingSince !== undefined || isLate;
  if (isSounding && talk.at < (talk.expectingSince ?? 0) + maxNoiseMs) return delaySilence(talk);
  talk.expectingSince = undefined;
  if (talk.isBotSpeaking || talk.turn || talk.words !== '' || talk.pressed !== '') return;
  talk.silences += 1;
  if (talk.silences === 1) sayPhrase(talk, phrases.stillThere);
  else end(talk, { reason: 'silence' }, phrases.goodbyeSilence);
}

/** A caller who gets no answer because the machine is busy is asked to wait, instead of hearing nothing. */
function excuseLateness(talk: Draft): void {
  if (talk.stage !== 'talking' || talk.turn || talk.excuses >= maxExcuses) return;
  talk.timers.late = talk.at + stillLateMs;
  if (talk.isBotSpeaking || talk.speakingSince !== undefined) return;
  talk.excuses += 1;
  sayPhrase(talk, talk.settings.phrases.oneMoment);
}

function noteSaid(talk: Draft, { utteranceId, spoken, inMs }: Said): void {
  const utterance = talk.utterances.get(utteranceId);
  if (utterance?.kind === 'phrase' && utterance.noteId === undefined) {
    talk.utterances.set(utteranceId, { ...utterance, noteId: utteranceId });
    talk.effects.push({ type: 'note phrase', id: utteranceId, text: utterance.text });
  }
  if (utterance?.turnId === talk.guess?.turnId) talk.guess = undefined;
  noteTime(talk, utterance?.turnId, 'firstSpeechAt', talk.at + inMs);
  const { mustBeHeard } = talk;
  if (mustBeHeard && mustBeHeard.utteranceId !== utteranceId)
    talk.mustBeHeard = { ...mustBeHeard, until: Math.min(mustBeHeard.until, talk.at + inMs) };
  talk.effects.push(
    { type: 'show', notice: { type: 'said', id: utteranceId, text: spoken } },
    { type: 'show', notice: { type: 'state', state: 'speaking' } },
  );
}

/** All of an utterance so far was heard. */
function noteHeard(talk: Draft, { utteranceId, text }: HeardUtterance): void {
  const utterance = talk.utterances.get(utteranceId);
  if (utterance?.kind === 'phrase') talk.utterances.delete(utteranceId);
  else if (utterance) talk.utterances.set(utteranceId, { ...utterance, heard: utterance.heard + text });
}

/** No more than this of an utterance was heard. */
function cut(talk: Draft, { utteranceId, text, isWhole }: HeardUtterance): void {
  const heard = text.trimEnd();
  talk.effects.push({ type: 'show', notice: { type: 'cut', id: utteranceId, text: heard } });
  const utterance = talk.utterances.get(utteranceId);
  if (!utterance) return;
  if (utterance.kind === 'phrase') {
    talk.utterances.delete(utteranceId);
    if (utterance.noteId && !isWhole) shorten(talk, utterance.noteId, heard);
    return;
  }
  const { turnId, noteId = utteranceId } = utterance;
  const interrupted = turnId !== undefined && talk.answers.get(turnId);
  if (interrupted) talk.answers.set(turnId, { ...interrupted, isInterrupted: true });
  // A turn that is still running would write the whole reply: it is stopped first.
  if (turnId !== undefined) stopForCaller(talk, turnId);
  const all = (utterance.heard + text).trimEnd();
  if (!isWhole) shorten(talk, noteId, all);
  talk.utterances.set(utteranceId, { ...utterance, text: all, heard: all, isCut: !isWhole });
}

/** Once, for the first reason; only a caller who was transferred is still talking. */
function close(talk: Draft, ending: CallEnding): void {
  if (talk.stage === 'over') return;
  const counted = ending.reason === 'transferred' ? ending : (talk.end ?? ending);
  talk.end = counted;
  talk.stage = 'over';
  stopForCaller(talk);
  discard(talk);
  stopTurn(talk);
  noteQueued(talk);
  finishKeys(talk);
  if (talk.words !== '') talk.effects.push({ type: 'note words', text: talk.words });
  talk.words = '';
  talk.effects.push({ type: 'close', ending: counted });
}
