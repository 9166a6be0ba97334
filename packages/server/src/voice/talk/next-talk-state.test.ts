import { type CallInterruption, callInterruptions } from '@svc/contract/bots';
import type { CallEndReason } from '@svc/contract/calls';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/sample.ts';
import type { StreamEvent } from '../../events/event.ts';
import { nextTalkState } from './next-talk-state.ts';
import { phrasesIn } from './phrases.ts';
import type { SpokenPiece } from './sentences.ts';
import {
  newTalk,
  type TalkEffect,
  type TalkEvent,
  type TalkState,
  type TalkTimer,
  type TimedTalkEvent,
} from './talk-state.ts';

const sentences = [
  'Your parcel left Cologne on Monday. ',
  'It arrives tomorrow. ',
  'Anything ',
  'else today? ',
];
const reasons = ['max_duration', 'bot_hung_up', 'stopped'] as const;
const hangUps = ['caller_hung_up', 'speech_failed', 'transferred'] as const;

const often = ['write', 'write', 'write', 'play', 'play', 'play', 'wait', 'heard', 'heard'] as const;
const sometimes = [
  'words',
  'speech',
  'complete',
  'store',
  'tool',
  'tool ends',
  'retract',
  'cough',
  'guess',
  'correct',
] as const;
const rarely = ['mhm', 'key', 'fail', 'refuse', 'paused', 'resumed', 'end', 'close'] as const;

/** What happens around a talk; what is impossible at the time is skipped. `isSlow`: what is to be written waits. */
const step = fc.record({
  do: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...often) },
    { weight: 2, arbitrary: fc.constantFrom(...sometimes) },
    { weight: 1, arbitrary: fc.constantFrom(...rarely) },
  ),
  amount: fc.nat(7),
  isSlow: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;
const choose = <Value>(values: readonly Value[], { amount }: Step) => values[amount % values.length] as Value;

/** A talk with a line, a turn engine and a transcript that are only values. */
function play(steps: readonly Step[], interruption?: CallInterruption, mustBeHeard = false) {
  const settings = {
    phrases: phrasesIn('en'),
    spokenAbout: () => ({ during: true, after: true }),
    interruption,
  };
  let state = newTalk(settings);
  let at = 0;
  let ids = 0;
  let words = '';
  let isSpeaking = false;
  /** Writes are performed one after another, at any time later. */
  const writes: TalkEffect[] = [];
  /** Since the last silence: the words that are to be said, and how many of them were heard. */
  let pieces: { id: string; spoken: SpokenPiece; words: string[]; heard: number }[] = [];
  let isPaused = false;
  /** What the turn engine is doing. */
  const engine: { turnId?: string | undefined; message?: { id: string; text: string } | undefined } = {};
  let isWaiting: 'tool' | 'approval' | undefined;
  const retracted = new Map<string, string>();

  const saidByCaller: string[] = [];
  /** The turns of replies. */
  const turnOf = new Map<string, string>();
  const inTranscript: { id?: string; text: string }[] = [];
  /** When the words ended that are only guessed so far. */
  let guessedAt: number | undefined;
  const messages = new Map<string, string>();
  const heard = new Map<string, string>();
  const ended: CallEndReason[] = [];
  const effects: TalkEffect[] = [];
  const transitions: { before: TalkState; timed: TimedTalkEvent; next: ReturnType<typeof nextTalkState> }[] =
    [];

  function tell(event: TalkEvent): void {
    ids += 1;
    const timed = { ...event, at, newId: `id ${ids}` };
    const before = state;
    const next = nextTalkState(before, timed);
    transitions.push({ before, timed, next });
    state = next.state;
    if (before.end && state.end !== before.end) expect(state.end?.reason).toBe('transferred');
    for (const effect of next.effects) perform(effect);
  }

  const tellOf = (event: object) =>
    tell({ type: 'conversation', event: { turnId: engine.turnId ?? null, ...event } as StreamEvent });

  function perform(effect: TalkEffect): void {
    const isOver = effects.some(({ type }) => type === 'close');
    if (isOver) expect(['say', 'begin turn', 'close']).not.toContain(effect.type);
    effects.push(effect);
    if (effect.type === 'say') {
      const spoken = effect.piece;
      pieces.push({ id: effect.utteranceId, spoken, words: spoken.text.split(/(?<=\S)(?=\s)/), heard: 0 });
    } else if (effect.type === 'pause') isPaused = pieces.length > 0;
    else if (effect.type === 'resume') isPaused = false;
    else if (effect.type === 'discard') tell({ type: 'discarded', heard: takeHeard() });
    else if (effect.type === 'mask keys') tell({ type: 'keys', text: `keys${effect.digits}` });
    else if (effect.type === 'close') ended.push(effect.ending.reason);
    else writes.push(effect);
  }

  function takeHeard() {
    const all = [...Map.groupBy(pieces, ({ id }) => id)].map(([utteranceId, own]) => ({
      utteranceId,
      text: own.flatMap((piece) => piece.words.slice(0, piece.heard)).join(''),
      isWhole: own.every((piece) => piece.heard === piece.words.length),
    }));
    pieces = [];
    isPaused = false;
    return all;
  }

  function hearWord(): void {
    const piece = isPaused ? undefined : pieces.find((one) => one.heard < one.words.length);
    if (!piece) return;
    if (piece.heard === 0)
      tell({ type: 'said', utteranceId: piece.id, spoken: piece.spoken.spoken, inMs: 0 });
    heard.set(piece.id, (heard.get(piece.id) ?? '') + piece.words[piece.heard]);
    piece.heard += 1;
    if (pieces.every((one) => one.heard === one.words.length)) tell({ type: 'silent', heard: takeHeard() });
  }

  function storeMessage(interrupted: boolean): void {
    const { message } = engine;
    if (!message) return;
    engine.message = undefined;
    messages.set(message.id, message.text);
    tellOf(completed(message.id, message.text, interrupted));
  }

  const completed = (id: string, content: string, interrupted: boolean) => ({
    type: 'message.completed',
    data: { message: { id, role: 'assistant', content, interrupted } },
  });

  function endTurn(type: string, data: object = {}): void {
    const { turnId } = engine;
    storeMessage(type !== 'turn.completed');
    engine.turnId = undefined;
    isWaiting = undefined;
    tellOf({ type, data: { turn_id: turnId, ...data } });
  }

  function empty(messageId: string | undefined): void {
    const guess = inTranscript.find(({ id }) => id !== undefined && id === messageId);
    if (guess) guess.text = '';
  }

  function write(isRefused = false): void {
    const effect = writes.shift();
    if (effect?.type === 'begin turn') {
      const { turnId, text, replaces } = effect;
      expect(engine.turnId).toBeUndefined();
      if (isRefused) return tell({ type: 'turn not begun', turnId, text, replaces, code: undefined });
      empty(replaces);
      engine.turnId = turnId;
      const id = `said in ${turnId}`;
      inTranscript.push({ id, text });
      tellOf({ type: 'turn.started', data: { turn_id: turnId, user_message: { id } } });
    } else if (effect?.type === 'stop turn' && engine.turnId) endTurn('turn.interrupted');
    else if (effect?.type === 'note words') inTranscript.push({ text: effect.text });
    else if (effect?.type === 'note phrase') messages.set(effect.id, effect.text);
    else if (effect?.type === 'shorten' && effect.messageId.startsWith('said in')) {
      expect(effect.heard).toBe('');
      empty(effect.messageId);
    } else if (effect?.type === 'shorten' && messages.has(effect.messageId)) {
      messages.set(effect.messageId, effect.heard);
      tellOf(completed(effect.messageId, effect.heard, true));
    }
  }

  function wait(milliseconds: number): void {
    const until = at + milliseconds;
    for (;;) {
      const [due] = Object.entries(state.timers).toSorted(([, one], [, other]) => one - other);
      if (!due || due[1] > until) break;
      at = Math.max(at, due[1]);
      tell({ type: 'due', timer: due[0] as TalkTimer, isLate: false });
    }
    at = until;
  }

  function hear(text: string): void {
    const noted = { text, speechEndedAt: at, textAt: at, decidedAt: at };
    const remainingMs = pieces.reduce((sum, piece) => sum + (piece.words.length - piece.heard) * 300, 0);
    words = '';
    guessedAt = undefined;
    tell({ type: 'heard', heard: noted, remainingMs });
  }

  /** The model writes nothing while a tool runs or an approval is pending. */
  function runTurn(one: Step): void {
    if (!engine.turnId) return;
    const call = { tool_call_id: 'a', tool_name: 'lookup', tool_type: 'http_request' };
    if (one.do === 'tool ends' && isWaiting === 'tool') {
      isWaiting = undefined;
      tellOf({ type: 'tool.completed', data: call });
    } else if (one.do === 'resumed' && isWaiting === 'approval') {
      isWaiting = undefined;
      tellOf({ type: 'turn.resumed', data: { turn_id: engine.turnId } });
    }
    if (isWaiting) return;
    if (one.do === 'write') {
      const text = choose(sentences, one);
      engine.message ??= { id: `message ${ids}`, text: '' };
      const { id, text: before } = engine.message;
      engine.message.text += text;
      turnOf.set(id, engine.turnId);
      tellOf({ type: 'message.delta', data: { message_id: id, offset: before.length, text } });
    } else if (one.do === 'store') storeMessage(false);
    else if (one.do === 'complete') endTurn('turn.completed');
    else if (one.do === 'fail') endTurn('turn.failed', { error: { code: 'MODEL_FAILED' } });
    else if (one.do === 'tool') {
      storeMessage(false);
      isWaiting = 'tool';
      tellOf({ type: 'tool.started', data: call });
    } else if (one.do === 'paused') {
      storeMessage(false);
      isWaiting = 'approval';
      tellOf({ type: 'turn.paused', data: { turn_id: engine.turnId } });
    } else if (one.do === 'retract' && engine.message) {
      const { id } = engine.message;
      engine.message = undefined;
      const known = effects.length;
      tellOf({ type: 'stream.snapshot', data: { message_id: id, text: '' } });
      const note = effects.slice(known).find((effect) => effect.type === 'note phrase');
      if (note?.type === 'note phrase') retracted.set(note.id, id);
    }
  }

  function listen(one: Step): void {
    if (state.stage === 'over') return;
    if (one.do === 'speech') {
      isSpeaking = !isSpeaking;
      tell({ type: isSpeaking ? 'speech' : 'pause' });
    } else if (one.do === 'words') {
      words = `word${ids} and more`;
      tell({ type: 'words', text: words, isTentative: false });
    } else if (one.do === 'cough') {
      words = words === '' ? `cough${ids}` : '';
      tell({ type: 'words', text: words, isTentative: true });
    } else if (one.do === 'mhm') hear('Mhm.');
    else if (one.do === 'heard') {
      const text = words || `word${ids}`;
      saidByCaller.push(text);
      hear(text);
    } else if (one.do === 'guess') {
      const text = `guess${ids}`;
      saidByCaller.push(text);
      hear(text);
      guessedAt = at;
    } else if (one.do === 'correct' && guessedAt !== undefined) {
      const text = `word${ids} and much more`;
      const times = { speechEndedAt: guessedAt, textAt: at, decidedAt: at };
      // It may replace the guess, which was said last.
      if (state.stage === 'talking') saidByCaller.splice(-1, 1, text);
      guessedAt = undefined;
      tell({ type: 'corrected', heard: { text, ...times }, isMore: true });
    } else if (one.do === 'key') tell({ type: 'key', digit: '4' });
  }

  tell({ type: 'phrase', text: 'Hello there!', mustBeHeard });
  for (const one of steps) {
    if (one.do === 'wait') wait(one.amount * 500);
    else if (one.do === 'play') for (let count = 0; count <= one.amount; count += 1) hearWord();
    else if (one.do === 'refuse') write(true);
    else if (one.do === 'end') {
      const reason = choose(reasons, one);
      const farewell = reason === 'bot_hung_up' ? undefined : 'Goodbye now.';
      tell({ type: 'end', ending: { reason }, farewell });
    } else if (one.do === 'close') tell({ type: 'close', ending: { reason: choose(hangUps, one) } });
    runTurn(one);
    listen(one);
    while (!one.isSlow && writes.length > 0) write();
  }
  if (words !== '' && state.stage !== 'over') saidByCaller.push(words);
  tell({ type: 'close', ending: { reason: 'caller_hung_up' } });
  while (writes.length > 0) write();
  tell({ type: 'closed' });
  return {
    state,
    transitions,
    effects,
    ended,
    saidByCaller,
    inTranscript,
    turnOf,
    messages,
    heard,
    retracted,
  };
}

const ofType = <Type extends TalkEffect['type']>(effects: readonly TalkEffect[], type: Type) =>
  effects.filter((effect) => effect.type === type) as Extract<TalkEffect, { type: Type }>[];

/** However little was heard of a reply. */
function keepsQuestions({ heard, turnOf, inTranscript }: ReturnType<typeof play>): void {
  for (const [id] of heard) {
    const turnId = turnOf.get(id);
    const question = inTranscript.find((said) => said.id === `said in ${turnId}`);
    if (turnId !== undefined) expect(question?.text).toMatch(/\S/);
  }
}

describe('whatever happens in whatever order', () => {
  const holds = (check: (played: ReturnType<typeof play>) => void, times = 500) =>
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 80, size: 'max' }),
        fc.constantFrom(undefined, ...callInterruptions),
        (steps, interruption) => check(play(steps, interruption)),
      ),
      runs(times),
    );

  it('the same event in the same state has the same outcome, even later', () =>
    holds(({ transitions }) => {
      for (const { before, timed, next } of transitions) expect(nextTalkState(before, timed)).toEqual(next);
    }, 150));

  it('what the caller says is in the transcript once, answered or not', () =>
    holds(({ saidByCaller, inTranscript }) => {
      const all = inTranscript.flatMap(({ text }) => text.split(/\s+/));
      for (const said of saidByCaller) {
        const [word = ''] = said.split(' ');
        expect(all.filter((one) => one === word)).toEqual([word]);
      }
    }));

  it('a reply that was heard keeps its question', () => {
    const around = fc.constantFrom<Step['do'][]>(
      'guess',
      'correct',
      'write',
      'complete',
      'paused',
      'resumed',
      'play',
    );
    const guessing = fc.record({ do: around, amount: fc.nat(2), isSlow: fc.boolean() });
    const guesses = fc.array(guessing, { maxLength: 40, size: 'max' });
    const interruptions = fc.constantFrom(undefined, ...callInterruptions);
    const property = fc.property(guesses, interruptions, fc.boolean(), (steps, interruption, mustBeHeard) =>
      keepsQuestions(play(steps, interruption, mustBeHeard)),
    );
    fc.assert(property, runs(500));
    holds(keepsQuestions);
  });

  it('a call ends once, with its first reason unless the caller was transferred', () =>
    holds(({ state, effects, ended }) => {
      expect(ended).toHaveLength(1);
      expect(ended).toEqual([state.end?.reason]);
      const [announced] = ofType(effects, 'show').flatMap(({ notice }) =>
        notice.type === 'ending' ? notice.reason : [],
      );
      if (announced && state.end?.reason !== 'transferred') expect(announced).toBe(state.end?.reason);
      expect(state.timers).toEqual({});
    }));

  it('what the caller did not hear is not in the transcript, and all that they heard is', () =>
    holds(({ messages, heard, retracted }) => {
      for (const [id, text] of messages) {
        expect(text.trim()).toBe((heard.get(retracted.get(id) ?? id) ?? '').trim());
      }
    }));

  it('nothing is left of what was said, and every turn is timed once', () =>
    holds(({ state, effects }) => {
      expect([...state.utterances, ...state.answers]).toEqual([]);
      const begun = ofType(effects, 'begin turn').map(({ turnId }) => turnId);
      const timed = ofType(effects, 'save times').map(({ turnId }) => turnId);
      expect(timed.toSorted()).toEqual(begun.toSorted());
    }));
});

describe('while the bot speaks', () => {
  const now = (do_: Step['do']): Step => ({ do: do_, amount: 0, isSlow: false });
  /** What a caller causes by these, before the call is closed. */
  const caused = (interruption: CallInterruption | undefined, ...did: Step['do'][]) =>
    effectsOf(play([now('play'), ...did.map(now)], interruption));
  const effectsOf = ({ transitions }: ReturnType<typeof play>) => {
    const types = transitions
      .filter(({ timed }) => timed.type !== 'close')
      .flatMap(({ next }) => next.effects.map(({ type }) => type));
    return (['pause', 'discard', 'begin turn'] as const).filter((type) => types.includes(type));
  };

  it('a voice pauses it, and words stop it', () => {
    expect(caused(undefined, 'speech')).toEqual(['pause']);
    expect(caused('speech', 'speech', 'words', 'heard')).toEqual(['pause', 'discard', 'begin turn']);
  });

  it('only words stop it, if it is so set', () => {
    expect(caused('words', 'speech')).toEqual([]);
    expect(caused('words', 'speech', 'cough')).toEqual([]);
    expect(caused('words', 'speech', 'words')).toEqual(['discard']);
  });

  it('nothing stops it, if it is so set, and what was said is answered', () => {
    expect(caused('never', 'speech', 'words', 'heard')).toEqual(['begin turn']);
    expect(caused('never', 'key')).toEqual(['discard']);
  });

  it('a guess stays if its reply is said to the end, or a person was asked about it', () => {
    const more = Array.from({ length: 8 }, () => 'play' as const);
    const guessed = (interruption: CallInterruption | undefined, mustBeHeard: boolean, did: Step['do'][]) => {
      const played = play([...did, ...more].map(now), interruption, mustBeHeard);
      keepsQuestions(played);
      return played.inTranscript.map(({ text }) => text.replaceAll(/\d+/g, ''));
    };
    const replied: Step['do'][] = ['guess', 'write', 'correct', 'complete'];
    expect(guessed('never', false, replied)).toEqual(['guess', 'word and much more']);
    expect(guessed(undefined, true, replied)).toEqual(['guess', 'word and much more']);
    expect(guessed(undefined, false, replied)).toEqual(['', 'word and much more']);
    const asked: Step['do'][] = ['guess', 'paused', 'correct', 'resumed', 'write', 'complete'];
    expect(guessed(undefined, false, asked)).toEqual(['guess', 'word and much more']);
  });

  it('nothing stops what must be heard, and later speech can be interrupted again', () => {
    const during = (...did: Step['do'][]) => effectsOf(play([now('play'), ...did.map(now)], undefined, true));
    expect(during('speech', 'words')).toEqual([]);
    expect(during('key')).toEqual([]);
    expect(during('speech', 'words', 'heard')).toEqual(['begin turn']);
    const { transitions } = play(
      Array.from({ length: 8 }, () => now('play')),
      undefined,
      true,
    );
    const silent = transitions.find(({ timed }) => timed.type === 'silent');
    expect(silent?.next.state.mustBeHeard).toBeUndefined();
  });
});
