import type { StreamEvent } from '../../events/event.ts';
import { isBackChannel } from './end-of-turn.ts';
import type { HeardTurn } from './hearing.ts';
import { cutSentences, type SpokenPiece } from './sentences.ts';
import { speakable } from './speakable.ts';
import type { HeardUtterance } from './speaking.ts';
import type {
  CallEnding,
  OpenTurn,
  TalkEffect,
  TalkEvent,
  TalkState,
  TalkTimer,
  TimedTalkEvent,
  Utterance,
} from './talk-state.ts';
import { type Answer, timesOf } from './turn-times.ts';

/** The last words of a call take at most this long. */
export const farewellMs = 5_000;
/** A "yeah" at the end of what the bot says is an answer. */
const endOfSpeechMs = 1_000;
/** Speech is understood by then. */
const wordsWithinMs = 2_000;
const silenceMs = 10_000;
/** Sounds without words delay the question about silence, but a noisy line must not stay open forever. */
const maxNoiseMs = 30_000;
const keyPauseMs = 1_500;
const maxKeys = 40;
/** The caller is not asked to wait for a tool that is faster. */
const slowToolMs = 600;
const stillCheckingEveryMs = 20_000;
const retryTellingMs = 500;
/** On a noisy line the caller seems to speak without a pause. */
const maxTellingDelayMs = 10_000;
const maxFailures = 3;

/** The state while an event is handled, and what is to be done. */
interface Draft extends Omit<TalkState, 'utterances' | 'answers' | 'timers'> {
  utterances: Map<string, Utterance>;
  answers: Map<string, Readonly<Answer>>;
  timers: Partial<Record<TalkTimer, number>>;
  at: number;
  newId: string;
  effects: TalkEffect[];
}

/** Pure: what becomes of a talk when this happens, and what is to be done. */
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
  const isEnding = draft.stage === 'last words' || draft.stage === 'farewell';
  if (isEnding && !draft.isBotSpeaking && !(draft.awaitsTurn && draft.turn)) close(draft);
  if (draft.stage === 'over') draft.timers = {};
  const { effects, at: _at, newId: _newId, ...next } = draft;
  return { state: next, effects };
}

function handle(talk: Draft, event: TalkEvent): void {
  switch (event.type) {
    case 'speech':
      talk.speakingSince = talk.at;
      delaySilence(talk);
      if (talk.stage === 'talking' && talk.isBotSpeaking) suspectInterruption(talk);
      return;
    case 'pause':
      talk.speakingSince = undefined;
      return talk.words === '' ? noteQuiet(talk) : undefined;
    case 'words':
      return noteWords(talk, event.text, event.isTentative);
    case 'heard':
      return noteTurn(talk, event.heard, event.remainingMs);
    case 'key':
      return press(talk, event.digit);
    case 'keys': {
      const { at } = talk;
      if (talk.stage !== 'talking') talk.effects.push({ type: 'note words', text: event.text });
      else answer(talk, { text: event.text, speechEndedAt: at, textAt: at, decidedAt: at });
      return;
    }
    case 'phrase':
      return sayPhrase(talk, event.text);
    case 'said':
      return noteSaid(talk, event.utteranceId, event.spoken);
    case 'silent':
      talk.isBotSpeaking = false;
      for (const heard of event.heard) noteHeard(talk, heard);
      saveAnswers(talk, ({ isOver }) => isOver);
      return waitForCaller(talk);
    case 'discarded':
      for (const heard of event.heard) cut(talk, heard);
      return saveAnswers(talk, ({ isOver }) => isOver);
    case 'conversation':
      return follow(talk, event.event);
    case 'turn not begun':
      talk.effects.push({ type: 'note words', text: event.text });
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
    case 'tool':
      return askToWait(talk);
    case 'approval':
      return remindOfApproval(talk);
    case 'farewell':
      return close(talk);
  }
}

// The caller

/** The caller is saying more than that they are listening, or is pressing keys. */
function isTalking({ pressed, words }: Draft): boolean {
  return pressed !== '' || (words !== '' && !isBackChannel(words));
}

/** The same, or there are sounds that may become words. */
function isCallerSpeaking(talk: Draft): boolean {
  return talk.speakingSince !== undefined || isTalking(talk);
}

function noteWords(talk: Draft, text: string, isTentative: boolean): void {
  talk.words = text;
  talk.isTentative = isTentative;
  if (text === '') return talk.speakingSince === undefined ? noteQuiet(talk) : undefined;
  stopExpecting(talk);
  talk.effects.push({ type: 'show', notice: { type: 'heard', text, isFinal: false } });
  if (talk.stage !== 'talking' || isBackChannel(text)) return;
  if (!isTentative) takeFloor(talk);
  else if (talk.isBotSpeaking) suspectInterruption(talk);
}

function noteTurn(talk: Draft, heard: HeardTurn, remainingMs: number): void {
  talk.words = '';
  talk.isTentative = true;
  if (talk.stage !== 'talking') {
    talk.effects.push({ type: 'note words', text: heard.text });
    return;
  }
  const isListening = talk.turn !== undefined || remainingMs > endOfSpeechMs;
  if (isBackChannel(heard.text) && isListening) resume(talk);
  else answer(talk, heard);
}

function press(talk: Draft, digit: string): void {
  if (talk.stage === 'over') return;
  stopExpecting(talk);
  talk.silences = 0;
  if (talk.stage === 'talking') takeFloor(talk);
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
  if (talk.isBotSpeaking) interrupt(talk);
}

function answer(talk: Draft, heard: HeardTurn): void {
  stopExpecting(talk);
  talk.silences = 0;
  takeFloor(talk);
  if (!talk.turn) return beginTurn(talk, heard);
  talk.queued = talk.queued ? { ...heard, text: `${talk.queued.text} ${heard.text}` } : heard;
  if (!talk.turn.approval) return;
  if (talk.turn.approval.isTold) sayPhrase(talk, talk.settings.phrases.stillChecking);
  else tellOfApproval(talk);
}

// Interruptions: the bot waits for words when the caller begins to speak

function suspectInterruption(talk: Draft): void {
  talk.effects.push({ type: 'pause' });
  talk.timers.interruption ??= talk.at + wordsWithinMs;
}

/** It was not an interruption. */
function resume(talk: Draft): void {
  delete talk.timers.interruption;
  talk.effects.push({ type: 'resume' });
  if (!talk.isBotSpeaking) waitForCaller(talk);
}

/** The rest of what the bot was saying is dropped. */
function interrupt(talk: Draft): void {
  discard(talk);
  talk.effects.push({ type: 'show', notice: { type: 'state', state: 'listening' } });
}

function discard(talk: Draft): void {
  delete talk.timers.interruption;
  talk.effects.push({ type: 'discard' });
  talk.isBotSpeaking = false;
}

// Silence of the caller

/** Nothing is going on: the caller is expected to speak. */
function waitForCaller(talk: Draft): void {
  if (talk.stage !== 'talking' || talk.turn || isTalking(talk)) return;
  talk.effects.push({ type: 'show', notice: { type: 'state', state: 'listening' } });
  talk.expectingSince = talk.at;
  delaySilence(talk);
}

function stopExpecting(talk: Draft): void {
  delete talk.timers.silence;
  talk.expectingSince = undefined;
}

/** There is a sound, which may become words. */
function delaySilence(talk: Draft): void {
  if (talk.expectingSince === undefined) return;
  talk.timers.silence = Math.min(talk.at + silenceMs, talk.expectingSince + maxNoiseMs);
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

// What the bot says

function sayPhrase(talk: Draft, text: string): void {
  if (talk.stage === 'over' || talk.stage === 'farewell' || text.trim() === '') return;
  talk.utterances.set(talk.newId, { kind: 'phrase', text, heard: '', isCut: false });
  say(talk, talk.newId, { text, spoken: speakable(text) });
}

function say(talk: Draft, utteranceId: string, piece: SpokenPiece): void {
  const isFirst = !talk.isBotSpeaking;
  talk.isBotSpeaking = true;
  talk.effects.push({ type: 'say', utteranceId, piece });
  // A caller who has just begun to speak may be about to say something.
  const hasJustBegun = talk.speakingSince !== undefined && talk.at - talk.speakingSince < wordsWithinMs;
  if (isFirst && talk.stage === 'talking' && (hasJustBegun || isTalking(talk))) suspectInterruption(talk);
}

function noteSaid(talk: Draft, utteranceId: string, spoken: string): void {
  const utterance = talk.utterances.get(utteranceId);
  if (utterance?.kind === 'phrase' && utterance.noteId === undefined) {
    talk.utterances.set(utteranceId, { ...utterance, noteId: utteranceId });
    talk.effects.push({ type: 'note phrase', id: utteranceId, text: utterance.text });
  }
  noteTime(talk, utterance?.turnId, 'firstSpeechAt');
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
  // A turn that is still running would write the whole reply: it is stopped first, and has stored more than was said.
  const isStopped = turnId !== undefined && stopForCaller(talk, turnId);
  const isCut = isStopped || !isWhole;
  const all = (utterance.heard + text).trimEnd();
  if (isCut) shorten(talk, noteId, all);
  talk.utterances.set(utteranceId, { ...utterance, text: all, heard: all, isCut });
}

function shorten(talk: Draft, messageId: string, heard: string): void {
  talk.effects.push({ type: 'shorten', messageId, heard });
}

// Turns

function beginTurn(talk: Draft, heard: HeardTurn): void {
  const id = talk.newId;
  talk.turn = { id, isStopping: false, tools: new Map(), hasAskedToWait: false };
  talk.answers.set(id, { heard, isInterrupted: false, isOver: false });
  stopExpecting(talk);
  talk.effects.push(
    { type: 'show', notice: { type: 'heard', text: heard.text, isFinal: true } },
    { type: 'show', notice: { type: 'state', state: 'thinking' } },
    // After what is being written: the model must see the reply before it as it was heard.
    { type: 'begin turn', turnId: id, text: heard.text },
  );
}

function changeTurn(talk: Draft, change: Partial<OpenTurn>): void {
  if (talk.turn) talk.turn = { ...talk.turn, ...change };
}

function stopTurn(talk: Draft): void {
  if (!talk.turn || talk.turn.isStopping) return;
  changeTurn(talk, { isStopping: true });
  talk.effects.push({ type: 'stop turn' });
}

/** True if the turn is stopped: a tool that was started must end, and a person's decision is waited for. */
function stopForCaller(talk: Draft, turnId = talk.turn?.id): boolean {
  const { turn } = talk;
  if (!turn || turn.id !== turnId || turn.approval || turn.tools.size > 0) return false;
  stopTurn(talk);
  return true;
}

function endTurn(
  talk: Draft,
  turnId: string,
  outcome: 'completed' | 'interrupted' | 'failed',
  code?: string,
): void {
  for (const [id, utterance] of talk.utterances) {
    if (utterance.kind !== 'reply') continue;
    if (utterance.turnId === undefined) talk.utterances.delete(id);
    else talk.utterances.set(id, { ...utterance, reading: undefined });
  }
  if (talk.turn?.id !== turnId) return;
  talk.turn = undefined;
  delete talk.timers.tool;
  delete talk.timers.approval;
  const written = talk.answers.get(turnId);
  if (written) talk.answers.set(turnId, { ...written, isOver: true });
  if (!talk.isBotSpeaking) saveAnswers(talk, ({ isOver }) => isOver);
  if (outcome === 'failed') talk.failures += 1;
  else if (outcome === 'completed') talk.failures = 0;
  if (talk.stage === 'talking') continueAfter(talk, outcome, code);
  else noteQueued(talk);
}

function continueAfter(talk: Draft, outcome: string, code: string | undefined): void {
  const { phrases } = talk.settings;
  if (outcome === 'failed' && code === 'INSUFFICIENT_BALANCE') {
    noteQueued(talk);
    return end(talk, { reason: 'insufficient_balance' }, phrases.goodbyeLimit);
  }
  if (outcome === 'failed' && talk.failures >= maxFailures) {
    noteQueued(talk);
    return end(talk, { reason: 'bot_failed' }, phrases.sorryGoodbye);
  }
  const { queued } = talk;
  talk.queued = undefined;
  if (queued) beginTurn(talk, queued);
  else if (outcome !== 'failed') return talk.isBotSpeaking ? undefined : waitForCaller(talk);
  else if (!isTalking(talk)) sayPhrase(talk, phrases.sorry);
}

/** What was said during a call that is about to end is not answered any more. */
function noteQueued(talk: Draft): void {
  if (talk.queued) talk.effects.push({ type: 'note words', text: talk.queued.text });
  talk.queued = undefined;
}

function noteTime(talk: Draft, turnId: string | undefined, what: 'firstTextAt' | 'firstSpeechAt'): void {
  const known = turnId !== undefined && talk.answers.get(turnId);
  if (known) talk.answers.set(turnId, { [what]: talk.at, ...known });
}

/** For answers of which everything was heard or cut. */
function saveAnswers(talk: Draft, isDone: (answer: Answer) => boolean): void {
  for (const [turnId, done] of talk.answers) {
    if (!isDone(done)) continue;
    talk.answers.delete(turnId);
    for (const [id, utterance] of talk.utterances)
      if (utterance.turnId === turnId) talk.utterances.delete(id);
    talk.effects.push({ type: 'save times', turnId, times: timesOf(done) });
  }
}

// What turns write

/** Messages outside of turns are not spoken again. */
function follow(talk: Draft, event: StreamEvent): void {
  switch (event.type) {
    case 'message.delta':
      return read(talk, event.data.message_id, event.turnId, event.data.offset, event.data.text);
    case 'stream.snapshot':
      if (event.data.text === '') return retract(talk, event.data.message_id);
      return read(talk, event.data.message_id, event.turnId, 0, event.data.text);
    case 'message.completed': {
      const { id, role, content, interrupted } = event.data.message;
      if (event.turnId === null || role !== 'assistant') return;
      if (!interrupted) return complete(talk, id, event.turnId, content);
      // Once: a reply that was shortened afterwards comes again.
      if (stopReading(talk, id)) noteBrokenOff(talk, id, content);
      return;
    }
    case 'tool.started': {
      const { tool_call_id: callId, tool_name: name, tool_type: type } = event.data;
      if (!talk.turn) return;
      changeTurn(talk, { tools: new Map(talk.turn.tools).set(callId, { name, type }) });
      const isSpokenAbout = talk.settings.spokenAbout({ name, type }).during;
      if (isSpokenAbout && !talk.turn.hasAskedToWait) talk.timers.tool ??= talk.at + slowToolMs;
      return;
    }
    case 'tool.completed':
      return completeTool(talk, event.data.tool_call_id);
    case 'turn.paused':
      if (talk.turn?.id !== event.data.turn_id) return;
      changeTurn(talk, { approval: { since: talk.at, isTold: false } });
      return remindOfApproval(talk);
    case 'turn.resumed':
      if (talk.turn?.id !== event.data.turn_id) return;
      changeTurn(talk, { approval: undefined });
      delete talk.timers.approval;
      return;
    case 'turn.completed':
      return endTurn(talk, event.data.turn_id, 'completed');
    case 'turn.interrupted':
      return endTurn(talk, event.data.turn_id, 'interrupted');
    case 'turn.failed':
      return endTurn(talk, event.data.turn_id, 'failed', event.data.error.code);
    // Nothing to say about these.
    case 'turn.started':
    case 'tool.progress':
    case 'approval.requested':
    case 'approval.resolved':
    case 'conversation.needs_human':
    case 'conversation.truncated':
    case 'message.operator':
    case 'stream.gap':
      return;
  }
}

const newReply: Utterance = { kind: 'reply', text: '', heard: '', isCut: false };
const newReading = { length: 0, unspoken: { rest: '' }, isBroken: false, isDropped: false };

function read(talk: Draft, id: string, ofTurn: string | null, offset: number, text: string): void {
  const reply = talk.utterances.get(id) ?? newReply;
  const { reading = newReading } = reply;
  const isBroken = reading.isBroken || offset > reading.length;
  if (isBroken) return void talk.utterances.set(id, { ...reply, reading: { ...reading, isBroken } });
  const added = text.slice(reading.length - offset);
  const { pieces, unspoken } = cutSentences(reading.unspoken, added);
  const length = reading.length + added.length;
  talk.utterances.set(id, { ...reply, reading: { ...reading, length, unspoken } });
  for (const piece of pieces) sayPiece(talk, id, ofTurn, piece);
}

function complete(talk: Draft, id: string, ofTurn: string, content: string): void {
  const reply = talk.utterances.get(id) ?? newReply;
  const { reading = newReading } = reply;
  talk.utterances.set(id, { ...reply, reading });
  const { pieces } = cutSentences(reading.unspoken, content.slice(reading.length), true);
  for (const piece of pieces) sayPiece(talk, id, ofTurn, piece);
  if (stopReading(talk, id)?.isDropped) noteBrokenOff(talk, id, content);
}

/** Says a piece, unless the caller will not hear it: then it must not stay in the transcript. */
function sayPiece(talk: Draft, id: string, ofTurn: string | null, piece: SpokenPiece): void {
  const reply = talk.utterances.get(id) ?? newReply;
  const { turn } = talk;
  const isSilenced = talk.stage === 'over' || talk.stage === 'farewell';
  if (!turn || turn.isStopping || isSilenced) {
    // A turn of somebody else's is written for other readers.
    if (ofTurn === turn?.id) drop(talk, id);
    return;
  }
  // Words that are being said replace the reply, unless they may be a cough.
  const isMeant = talk.pressed !== '' || (isTalking(talk) && !talk.isTentative);
  if (isMeant && stopForCaller(talk)) return drop(talk, id);
  stopAskingToWait(talk);
  noteTime(talk, turn.id, 'firstTextAt');
  talk.utterances.set(id, { ...reply, turnId: turn.id, text: reply.text + piece.text });
  say(talk, id, piece);
}

function drop(talk: Draft, id: string): void {
  const reply = talk.utterances.get(id);
  if (reply?.reading) talk.utterances.set(id, { ...reply, reading: { ...reply.reading, isDropped: true } });
}

/** Returns what was being read. */
function stopReading(talk: Draft, id: string): Utterance['reading'] {
  const reply = talk.utterances.get(id);
  if (!reply?.reading) return undefined;
  talk.utterances.set(id, { ...reply, reading: undefined });
  return reply.reading;
}

/** A reply was stored of which the end, or some of it, was not or will not be spoken. */
function noteBrokenOff(talk: Draft, id: string, content: string): void {
  const { text, isCut } = talk.utterances.get(id) ?? newReply;
  if (!isCut && text.trimEnd() !== content.trimEnd()) shorten(talk, id, text.trimEnd());
}

/** A reply will not be stored, and another takes its place: what the caller hears of it is noted, once. */
function retract(talk: Draft, id: string): void {
  stopReading(talk, id);
  const reply = talk.utterances.get(id);
  const text = reply?.text.trimEnd();
  if (!reply || reply.noteId !== undefined || !text) return;
  talk.utterances.set(id, { ...reply, noteId: talk.newId });
  talk.effects.push({ type: 'note phrase', id: talk.newId, text });
}

// While the caller waits

function askToWait(talk: Draft): void {
  if (talk.isBotSpeaking || isCallerSpeaking(talk)) talk.timers.tool = talk.at + slowToolMs;
  else {
    changeTurn(talk, { hasAskedToWait: true });
    sayPhrase(talk, talk.settings.phrases.oneMoment);
  }
}

function stopAskingToWait(talk: Draft): void {
  delete talk.timers.tool;
  changeTurn(talk, { hasAskedToWait: false });
}

function completeTool(talk: Draft, callId: string): void {
  const tool = talk.turn?.tools.get(callId);
  if (!talk.turn || !tool) return;
  const tools = new Map(talk.turn.tools);
  tools.delete(callId);
  changeTurn(talk, { tools });
  if (tools.size > 0) return;
  stopAskingToWait(talk);
  const { phrases, spokenAbout } = talk.settings;
  if (spokenAbout(tool).after && !isCallerSpeaking(talk)) sayPhrase(talk, phrases.thanksForWaiting);
}

function remindOfApproval(talk: Draft): void {
  const approval = talk.turn?.approval;
  if (!approval) return;
  const isDelayed = isCallerSpeaking(talk) && talk.at - approval.since < maxTellingDelayMs;
  if (!approval.isTold && isDelayed) talk.timers.approval = talk.at + retryTellingMs;
  else if (!approval.isTold) tellOfApproval(talk);
  else {
    talk.timers.approval = talk.at + stillCheckingEveryMs;
    if (!talk.isBotSpeaking && !isCallerSpeaking(talk)) sayPhrase(talk, talk.settings.phrases.stillChecking);
  }
}

function tellOfApproval(talk: Draft): void {
  changeTurn(talk, { approval: { since: talk.at, isTold: true } });
  talk.timers.approval = talk.at + stillCheckingEveryMs;
  sayPhrase(talk, talk.settings.phrases.beingChecked);
}

// The end

function end(talk: Draft, ending: CallEnding, farewell?: string): void {
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

/** Once, for the first reason; only a caller who was transferred is still talking. */
function close(talk: Draft, ending = talk.end): void {
  if (talk.stage === 'over') return;
  if (ending && (!talk.end || ending.reason === 'transferred')) talk.end = ending;
  talk.stage = 'over';
  stopForCaller(talk);
  discard(talk);
  stopTurn(talk);
  noteQueued(talk);
  finishKeys(talk);
  if (talk.words !== '') talk.effects.push({ type: 'note words', text: talk.words });
  talk.words = '';
  talk.effects.push({ type: 'close' });
}
