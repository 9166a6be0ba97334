import type { StreamEvent } from '../../events/event.ts';
import { withoutQuotation } from '../../lib/without-quotation.ts';
import { type HeardSpeech, wholeText } from './hearing.ts';
import { cutSentences, type SpokenPiece } from './sentences.ts';
import {
  changeTurn,
  type Draft,
  end,
  isCallerSpeaking,
  isTalking,
  noteQueued,
  noteTime,
  replaceGuess,
  saveAnswers,
  say,
  sayPhrase,
  shorten,
  stopExpecting,
  stopForCaller,
  stopTurn,
  waitForCaller,
} from './talk-draft.ts';
import type { Utterance } from './talk-state.ts';

/** The caller is not asked to wait for a tool that is faster. */
const slowToolMs = 600;
const stillCheckingEveryMs = 20_000;
const retryTellingMs = 500;
/** On a noisy line the caller seems to speak without a pause. */
const maxTellingDelayMs = 10_000;
const maxFailures = 3;

export function beginTurn(talk: Draft, said: HeardSpeech): void {
  const id = talk.newId;
  const { heard, replaces } = replaceGuess(talk, said);
  const text = wholeText(heard);
  talk.guess = { turnId: id, heard, isWrong: false };
  talk.turn = { id, isStopping: false, tools: new Map(), hasAskedToWait: false };
  talk.answers.set(id, { heard, isInterrupted: false, isOver: false });
  stopExpecting(talk);
  talk.effects.push(
    { type: 'show', notice: { type: 'heard', text, isFinal: true } },
    { type: 'show', notice: { type: 'state', state: 'thinking' } },
    // After what is being written: the model must see the reply before it as it was heard.
    { type: 'begin turn', turnId: id, text, replaces },
  );
}

export function endTurn(
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

/** Messages outside of turns are not spoken again. */
export function follow(talk: Draft, event: StreamEvent): void {
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
      // Once: a reply that is shortened afterwards is reported again.
      if (stopReading(talk, id)) noteBrokenOff(talk, id, content);
      return;
    }
    case 'tool.started': {
      const { tool_call_id: callId, tool_name: name, tool_type: type } = event.data;
      talk.guess = undefined;
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
      talk.guess = undefined;
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
    case 'turn.started':
      if (talk.guess?.turnId === event.data.turn_id)
        talk.guess = { ...talk.guess, messageId: event.data.user_message.id };
      return;
    // Nothing is said about these.
    case 'tool.progress':
    case 'approval.requested':
    case 'approval.resolved':
    case 'conversation.needs_human':
    case 'conversation.branched':
    case 'conversation.truncated':
    case 'conversation.updated':
    case 'message.operator':
    case 'message.rated':
    case 'message.typing':
    case 'stream.gap':
      return;
  }
}

const newReply: Utterance = { kind: 'reply', text: '', heard: '', isCut: false };
const newReading = { received: '', unspoken: { rest: '' }, isBroken: false, isDropped: false };

function read(talk: Draft, id: string, ofTurn: string | null, offset: number, text: string): void {
  const reply = talk.utterances.get(id) ?? newReply;
  const { reading = newReading } = reply;
  const isBroken = reading.isBroken || offset > reading.received.length;
  if (isBroken) return void talk.utterances.set(id, { ...reply, reading: { ...reading, isBroken } });
  const added = text.slice(reading.received.length - offset);
  const { pieces, unspoken } = cutSentences(reading.unspoken, added);
  const received = reading.received + added;
  talk.utterances.set(id, { ...reply, reading: { ...reading, received, unspoken } });
  for (const piece of pieces) sayPiece(talk, id, ofTurn, piece);
}

function complete(talk: Draft, id: string, ofTurn: string, content: string): void {
  const reply = talk.utterances.get(id) ?? newReply;
  const { reading = newReading } = reply;
  talk.utterances.set(id, { ...reply, reading });
  // The marks of quotations are not stored.
  const isAsWritten = content.startsWith(reading.received);
  const { length } = isAsWritten ? reading.received : withoutQuotation(reading.received);
  const { pieces } = cutSentences(reading.unspoken, content.slice(length), true);
  for (const piece of pieces) sayPiece(talk, id, ofTurn, piece);
  if (stopReading(talk, id)?.isDropped) noteBrokenOff(talk, id, content);
}

/** Says a piece, unless the caller will not hear it: then it must not stay in the transcript. */
function sayPiece(talk: Draft, id: string, ofTurn: string | null, piece: SpokenPiece): void {
  const reply = talk.utterances.get(id) ?? newReply;
  const { turn } = talk;
  const isSilenced = talk.stage === 'over' || talk.stage === 'farewell';
  if (!turn || turn.isStopping || isSilenced) {
    // Other turns are written for other readers.
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

/** The stored reply contains text that was not, or will not be, spoken. */
function noteBrokenOff(talk: Draft, id: string, content: string): void {
  const { text, isCut } = talk.utterances.get(id) ?? newReply;
  if (!isCut && withoutQuotation(text).trimEnd() !== content.trimEnd()) shorten(talk, id, text.trimEnd());
}

/** A reply will not be stored, and another takes its place: what the caller hears of it is noted, once. */
function retract(talk: Draft, id: string): void {
  stopReading(talk, id);
  const reply = talk.utterances.get(id);
  const text = reply?.text.trimEnd();
  if (!reply || reply.noteId !== undefined || !text) return;
  talk.utterances.set(id, { ...reply, noteId: talk.newId });
  talk.effects.push({ type: 'note phrase', id: talk.newId, text: withoutQuotation(text) });
}

export function askToWait(talk: Draft): void {
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
  // The bot has said goodbye and hung up: what the model would write now is not heard.
  if (talk.stage === 'last words' && !talk.awaitsTurn) return stopTurn(talk);
  const { phrases, spokenAbout } = talk.settings;
  if (spokenAbout(tool).after && !isCallerSpeaking(talk)) sayPhrase(talk, phrases.thanksForWaiting);
}

export function remindOfApproval(talk: Draft): void {
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

export function tellOfApproval(talk: Draft): void {
  changeTurn(talk, { approval: { since: talk.at, isTold: true } });
  talk.timers.approval = talk.at + stillCheckingEveryMs;
  sayPhrase(talk, talk.settings.phrases.beingChecked);
}
