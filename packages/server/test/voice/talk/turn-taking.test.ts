import { afterEach, describe, expect, it } from 'vitest';
import { phrasesIn } from '../../../src/voice/talk/phrases.ts';
import {
  answering,
  endPlaying,
  first,
  msPerCharacter,
  playTalk,
  second,
  textsOf,
} from './hand-played-talk.ts';

const { stillThere } = phrasesIn('en');

afterEach(endPlaying);

describe('a guess', () => {
  const guess = async (isSounding: boolean) => {
    const played = playTalk();
    await played.pass(400, true);
    played.recogniser.onPartial('The limb.');
    await played.pass(3_200, isSounding);
    expect(played.asked).toEqual(['The limb.']);
    return played;
  };

  it('is replaced by the text that follows, if nothing of the reply was heard', async () => {
    const played = await guess(false);
    played.recogniser.onFinal('The lamp is broken in the kitchen.');
    await played.pass(20);
    expect(played.asked).toEqual(['The limb.', 'stop', 'The lamp is broken in the kitchen.']);
    played.writes(first);
    played.completes();
    await played.pass(3_000);
    expect(played.said).toEqual([first]);
    // The wrong message is left empty: what was really said follows.
    expect(textsOf(played)).toEqual([
      'caller: ',
      'caller: The lamp is broken in the kitchen.',
      `bot: ${first}`,
    ]);
    await played.talk.close('stopped');
  });

  it('stays in the transcript if it has caused something', async () => {
    const played = await guess(false);
    const call = { tool_call_id: 'a', tool_name: 'order', tool_type: 'http_request' };
    played.emit({ type: 'tool.started', turnId: played.turnId, data: call });
    played.recogniser.onFinal('The lamp is broken in the kitchen.');
    await played.pass(20);
    played.emit({ type: 'tool.completed', turnId: played.turnId, data: call });
    played.completes();
    await played.pass(20);
    expect(textsOf(played)).toEqual(['caller: The limb.', 'caller: The lamp is broken in the kitchen.']);
    await played.talk.close('stopped');
  });

  it('is replaced in the transcript of a call that ends meanwhile', async () => {
    const played = await guess(false);
    played.faults.stuckTurn = true;
    played.recogniser.onFinal('The lamp is broken in the kitchen.');
    await played.pass(20);
    await played.talk.close('stopped');
    expect(textsOf(played)).toEqual(['caller: ', 'caller: The lamp is broken in the kitchen.']);
  });

  it('takes nothing with it that was said before', async () => {
    const played = playTalk();
    await played.callerSays('Please look it up.');
    const call = { tool_call_id: 'a', tool_name: 'lookup', tool_type: 'http_request' };
    played.emit({ type: 'tool.started', turnId: played.turnId, data: call });
    await played.callerSays('It is urgent.');
    await played.pass(400, true);
    played.recogniser.onPartial('The limb.');
    await played.pass(3_300);
    played.recogniser.onFinal('The lamp is broken in the kitchen.');
    await played.pass(100);
    played.emit({ type: 'tool.completed', turnId: played.turnId, data: call });
    played.completes();
    await played.pass(20);
    expect(played.asked.at(-1)).toBe('It is urgent. The lamp is broken in the kitchen.');
    await played.talk.close('stopped');
  });

  it('is replaced while it waits for a tool, too', async () => {
    const played = playTalk();
    await played.callerSays('Please look it up.');
    const call = { tool_call_id: 'a', tool_name: 'lookup', tool_type: 'http_request' };
    played.emit({ type: 'tool.started', data: call });
    await played.pass(400, true);
    played.recogniser.onPartial('The limb.');
    await played.pass(3_300);
    played.recogniser.onFinal('The lamp is broken in the kitchen.');
    await played.pass(100);
    played.emit({ type: 'tool.completed', data: call });
    played.writes('Done.');
    played.completes();
    await played.pass(3_000);
    expect(played.asked).toEqual(['Please look it up.', 'The lamp is broken in the kitchen.']);
    await played.talk.close('stopped');
  });

  it('that is written otherwise is the same', async () => {
    const played = await guess(false);
    played.recogniser.onFinal('the limb');
    await played.pass(1_000);
    expect(played.asked).toEqual(['The limb.']);
    await played.talk.close('stopped');
  });

  it('about a sentence that continues is followed by the whole sentence', async () => {
    const played = await guess(true);
    await played.pass(300, true);
    await played.pass(300);
    played.recogniser.onFinal('The lamp is broken in the kitchen.');
    await played.pass(1_000);
    expect(played.asked).toEqual(['The limb.', 'stop', 'The lamp is broken in the kitchen.']);
    await played.talk.close('stopped');
  });

  it.each([
    ['stays', 'The lamp.', ['The limb.']],
    ['is followed by a text that has much more', 'The lamp is broken.', ['The limb.', 'The lamp is broken.']],
  ])('whose answer was heard %s', async (_what, text, asked) => {
    const played = await guess(false);
    played.writes(first);
    played.completes();
    await played.pass(500);
    played.recogniser.onFinal(text);
    await played.pass(3_000);
    expect(played.asked).toEqual(asked);
    await played.talk.close('stopped');
  });
});

describe('the announcement that a call is recorded', () => {
  const announcement = 'This call is recorded.';
  const greeting = 'Hello, this is Acme and we are glad that you call us on this fine day.';
  const heardMs = announcement.length * msPerCharacter;

  it('is heard to its end, and the greeting behind it can be interrupted', async () => {
    const played = playTalk(greeting, undefined, announcement);
    await played.pass(100);
    await played.pass(200, true);
    played.recogniser.onPartial('Hello? Are you there?');
    await played.pass(100);
    expect(played.playedMs).toBeGreaterThanOrEqual(380);
    played.recogniser.onPartial('');
    await played.pass(heardMs);
    await played.callerSays('Where is my parcel?');
    expect(played.asked).toEqual(['Where is my parcel?']);
    const [announced, greeted] = textsOf(played);
    expect(announced).toBe(`bot: ${announcement}`);
    expect(greeted).toMatch(/^bot: Hello,/);
    expect(greeted).not.toBe(`bot: ${greeting}`);
    await played.talk.close('stopped');
  });

  it('does not protect the reply to what was said meanwhile', async () => {
    const played = playTalk('', undefined, announcement);
    await played.pass(100);
    await played.callerSays('Where is my parcel?');
    played.writes(first + second);
    played.completes();
    await played.pass(heardMs);
    await played.callerSays('Stop it please.');
    expect(played.asked).toEqual(['Where is my parcel?', 'Stop it please.']);
    expect(textsOf(played)[0]).toBe(`bot: ${announcement}`);
    expect(textsOf(played)).not.toContain(`bot: ${first}${second}`);
    await played.talk.close('stopped');
  });
});

it('notes every second how much of a reply was heard, and nothing when all was', async () => {
  const played = await answering();
  played.completes();
  await played.pass(1_500);
  expect(played.playing).toEqual([
    { messageId: `reply of ${played.turnId}`, heard: expect.stringMatching(/^Your parcel( \w+)*$/) },
  ]);
  await played.pass(1_000);
  expect(played.playing[0]?.heard).toMatch(/^Your parcel left Cologne on Monday/);
  await played.pass(4_000);
  expect(played.playing).toEqual([]);
  await played.talk.close('stopped');
});

describe('an interruption', () => {
  it('without words ends after two seconds, and the bot continues', async () => {
    const played = await answering();
    played.completes();
    await played.pass(500);
    await played.pass(900, true);
    const stoppedAt = played.playedMs;
    await played.pass(1_000);
    expect(played.playedMs).toBe(stoppedAt);
    await played.pass(8_000);
    expect(textsOf(played)).toEqual(['caller: Where is my parcel?', `bot: ${first}${second}`]);
    expect(played.times).toMatchObject([{ interrupted: false }]);
    // The last syllable is repeated.
    expect(played.playedMs).toBeGreaterThan((first + second).length * msPerCharacter);
    await played.talk.close('stopped');
  });

  it.each(['Uh huh.', 'Okay.', 'I see.'])(
    'is none if the caller only says %s, and the bot hardly stops',
    async (text) => {
      const played = await answering();
      played.completes();
      await played.pass(500);
      const before = played.playedMs;
      await played.pass(500, true);
      await played.pass(300);
      // About as long as the sound took; the last syllable is said again.
      expect(played.playedMs - before).toBeGreaterThan(800 - 500);
      await played.pass(300);
      played.recogniser.onFinal(text);
      await played.pass(7_000);
      expect(played.asked).toEqual(['Where is my parcel?']);
      expect(textsOf(played).at(-1)).toBe(`bot: ${first}${second}`);
      await played.talk.close('stopped');
    },
  );

  it('that continues after a short word stops the bot again, before it is understood', async () => {
    const played = await answering();
    played.completes();
    await played.pass(500);
    await played.pass(400, true);
    await played.pass(120);
    await played.pass(200, true);
    const stoppedAt = played.playedMs;
    await played.pass(400, true);
    expect(played.playedMs).toBe(stoppedAt);
    await played.pass(1_200);
    expect(played.playedMs).toBe(stoppedAt);
    played.recogniser.onFinal('Okay, but wait.');
    await played.pass(1_000);
    expect(played.asked.at(-1)).toBe('Okay, but wait.');
    await played.talk.close('stopped');
  });

  it('with words cuts the transcript at the last word that was heard', async () => {
    const played = await answering();
    played.completes();
    await played.pass(1_500);
    await played.pass(200, true);
    played.recogniser.onPartial('no wait');
    await played.pass(100, true);
    played.recogniser.onFinal('No, wait.');
    await played.pass(1_000);
    expect(textsOf(played)).toEqual([
      'caller: Where is my parcel?',
      'bot: Your parcel left Cologne on',
      'caller: No, wait.',
    ]);
    expect(played.times).toMatchObject([{ interrupted: true }]);
    await played.talk.close('stopped');
  });

  it('keeps the sentences before it, even if the bot was silent in between', async () => {
    const played = await answering(`${first} `);
    await played.pass(4_000);
    played.writes(`${second.trim()} `);
    await played.pass(1_000);
    await played.pass(200, true);
    played.recogniser.onFinal('Stop there.');
    await played.pass(1_000);
    expect(textsOf(played)[1]).toBe(`bot: ${first} It arrives tomorrow`);
    await played.talk.close('stopped');
  });

  it('is noticed by its words if nothing else tells', async () => {
    const played = await answering();
    await played.pass(500);
    played.recogniser.onPartial('please stop');
    expect(played.asked).toEqual(['Where is my parcel?']);
    await played.pass(20);
    expect(played.asked.at(-1)).toBe('stop');
    played.recogniser.onFinal('Please stop.');
    await played.pass(1_000);
    expect(played.asked.at(-1)).toBe('Please stop.');
    await played.talk.close('stopped');
  });

  it('is not one if its only word is taken back', async () => {
    const played = await answering();
    played.completes();
    await played.pass(500);
    await played.pass(200, true);
    const stoppedAt = played.playedMs;
    played.recogniser.onPartial('the');
    await played.pass(2_400);
    expect(played.playedMs).toBe(stoppedAt);
    played.recogniser.onPartial('');
    await played.pass(8_000);
    expect(textsOf(played)).toEqual(['caller: Where is my parcel?', `bot: ${first}${second}`]);
    // Nor does it stop an answer that is being thought about.
    await played.callerSays('And the other one?');
    played.recogniser.onPartial('the');
    await played.pass(100);
    played.writes(first);
    played.completes();
    await played.pass(300);
    played.recogniser.onPartial('');
    await played.pass(6_000);
    expect(played.asked).toEqual(['Where is my parcel?', 'And the other one?']);
    expect(textsOf(played).at(-1)).toBe(`bot: ${first}`);
    expect(played.said.at(-1)).toBe(first);
    await played.talk.close('stopped');
  });

  it('is one if its only word is final', async () => {
    const played = await answering();
    await played.pass(500);
    await played.pass(200, true);
    played.recogniser.onPartial('stop');
    await played.pass(200);
    expect(played.asked).toEqual(['Where is my parcel?']);
    played.recogniser.onFinal('Stop.');
    await played.pass(20);
    expect(played.asked.at(-1)).toBe('stop');
    await played.pass(1_000);
    expect(played.asked.at(-1)).toBe('Stop.');
    await played.talk.close('stopped');
  });

  it('is not one if the caller only listens', async () => {
    const played = await answering();
    await played.pass(500);
    await played.callerSays('Mhm.');
    expect(played.asked).toEqual(['Where is my parcel?']);
    played.recogniser.onFinal('4711');
    await played.pass(1_000);
    expect(played.asked).toEqual(['Where is my parcel?', 'stop', '4711']);
    await played.talk.close('stopped');
  });
});

it('takes a short answer at the end of a question', async () => {
  const question = 'Would you like to have it delivered tomorrow?';
  const played = await answering(question);
  played.completes();
  await played.pass(question.length * msPerCharacter - 500);
  await played.callerSays('Yeah.');
  expect(played.asked).toEqual(['Where is my parcel?', 'Yeah.']);
  await played.talk.close('stopped');
});

describe("the caller's turn", () => {
  /** The caller has spoken, and stopped this long ago. */
  async function spoken() {
    const played = playTalk();
    await played.pass(400, true);
    await played.pass(300);
    return played;
  }

  it.each([
    ['Where is my parcel?', 280, 320],
    ['I would like to', 680, 720],
  ])('is over a while after %j', async (text, notAfter, after) => {
    const played = await spoken();
    played.recogniser.onFinal(text);
    // The recogniser hears pauses, not sentences.
    if (notAfter > 300) played.recogniser.onEndOfSpeech();
    await played.pass(notAfter);
    expect(played.asked).toEqual([]);
    await played.pass(after - notAfter + 20);
    expect(played.asked).toEqual([text]);
    await played.talk.close('stopped');
  });

  it('has everything that was said with short pauses', async () => {
    const played = await spoken();
    played.recogniser.onFinal('My number is');
    await played.pass(400);
    await played.pass(300, true);
    played.recogniser.onPartial('47');
    await played.pass(300, true);
    played.recogniser.onFinal('4711.');
    await played.pass(700);
    expect(played.asked).toEqual(['My number is 4711.']);
    await played.talk.close('stopped');
  });

  it('is over after three seconds without a final text, which may still come', async () => {
    const played = await spoken();
    played.recogniser.onPartial('where is my');
    await played.pass(2_600);
    expect(played.asked).toEqual([]);
    await played.pass(200);
    expect(played.asked).toEqual(['where is my']);
    played.recogniser.onPartial('where is my parcel');
    await played.pass(100);
    played.recogniser.onFinal('Where is my parcel?');
    await played.pass(1_000);
    // Not twice.
    expect(played.asked).toEqual(['where is my', 'stop', 'parcel?']);
    await played.talk.close('stopped');
  });

  it('keeps its first word if the same word was answered and taken back', async () => {
    const played = await spoken();
    played.recogniser.onPartial('you');
    await played.pass(3_000);
    expect(played.asked).toEqual(['you']);
    played.completes();
    played.recogniser.onPartial('');
    await played.callerSays('You sent me the wrong book.');
    expect(played.asked).toEqual(['you', 'You sent me the wrong book.']);
    await played.talk.close('stopped');
  });

  it('is over although the line is noisy', async () => {
    const played = playTalk();
    await played.pass(1_000, true);
    played.recogniser.onFinal('Where is my parcel?');
    await played.pass(3_100, true);
    expect(played.asked).toEqual(['Where is my parcel?']);
    played.completes();
    // Even without a final text, but not while there are new words.
    played.recogniser.onPartial('I need help');
    await played.pass(2_000, true);
    played.recogniser.onPartial('I need help with it');
    await played.pass(2_000, true);
    expect(played.asked).toHaveLength(1);
    await played.pass(1_100, true);
    expect(played.asked.slice(1)).toEqual(['I need help with it']);
    played.recogniser.onFinal('I need help with it.');
    await played.pass(3_100);
    expect(played.asked).toHaveLength(2);
    await played.talk.close('stopped');
  });

  it('is not over just because the caller continues after a long pause', async () => {
    const played = await spoken();
    played.recogniser.onPartial('I would like to');
    await played.pass(2_500);
    await played.pass(1_000, true);
    expect(played.asked).toEqual([]);
    played.recogniser.onPartial('I would like to send it back');
    await played.pass(300);
    played.recogniser.onFinal('I would like to send it back.');
    await played.pass(500);
    expect(played.asked).toEqual(['I would like to send it back.']);
    await played.talk.close('stopped');
  });

  it('is not over because of a sound long ago', async () => {
    const played = await spoken();
    await played.pass(5_000);
    played.recogniser.onPartial('where');
    await played.pass(500);
    expect(played.asked).toEqual([]);
    played.recogniser.onFinal('Where is my parcel?');
    await played.pass(400);
    expect(played.asked).toEqual(['Where is my parcel?']);
    await played.talk.close('stopped');
  });

  it('does not begin with words that are taken back', async () => {
    const played = await spoken();
    played.recogniser.onPartial('uh');
    played.recogniser.onPartial('');
    await played.pass(9_500);
    expect(played.asked).toEqual([]);
    await played.pass(1_000);
    expect(played.said).toEqual([stillThere]);
    await played.talk.close('stopped');
  });
});
