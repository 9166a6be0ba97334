import { afterEach, describe, expect, it } from 'vitest';
import { phrasesIn } from '../../../src/voice/talk/phrases.ts';
import { answering, endPlaying, first, playTalk, textsOf } from './hand-played-talk.ts';

const { stillThere } = phrasesIn('en');

afterEach(endPlaying);

describe('a caller who presses keys', () => {
  it('has all the time they need', async () => {
    const played = playTalk('What is your card number?');
    await played.pass(4_500);
    for (const digit of '4111111111111111') {
      played.line.onDigit(digit);
      await played.pass(1_300);
    }
    await played.pass(300);
    expect(played.said).toEqual(['What is your card number?']);
    expect(played.asked).toEqual(['****1111 [keypad:1]']);
    played.completes();
    // The silence after it is the first one.
    await played.pass(10_500);
    expect(played.said.at(-1)).toBe(stillThere);
    expect(played.end.reason).toBeUndefined();
    await played.talk.close('stopped');
  });

  it('is not talked to meanwhile', async () => {
    const played = await answering();
    await played.pass(1_500);
    played.line.onDigit('1');
    const stoppedAt = played.playedMs;
    await played.pass(1_000);
    played.line.onDigit('2');
    await played.pass(1_600);
    expect(played.playedMs).toBe(stoppedAt);
    expect(played.asked).toEqual(['Where is my parcel?', 'stop', '**** [keypad:1]']);
    // Nor is a reply begun.
    played.line.onDigit('3');
    played.writes(first);
    await played.pass(1_000);
    expect(played.playedMs).toBe(stoppedAt);
    await played.pass(600);
    expect(textsOf(played).slice(1)).toEqual([
      'bot: Your parcel left Cologne on',
      'caller: **** [keypad:1]',
      'bot: ',
      // The caller types slowly: it is not a choice.
      'caller: **** [keypad:2]',
    ]);
    await played.talk.close('stopped');
  });
});
