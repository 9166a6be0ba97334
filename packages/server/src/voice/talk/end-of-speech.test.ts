import { callPatiences } from '@svc/contract/bots';
import { describe, expect, it } from 'vitest';
import { countWords, isBackChannel, waitAfter } from './end-of-speech.ts';

describe('the end of a turn', () => {
  it.each(['Where is my parcel?', 'My number is 4711.', 'Yes, please!', 'where is my parcel', 'nein danke'])(
    'comes soon after %j',
    (text) => expect(waitAfter(text)).toBe(300),
  );

  it.each(['I would like to', 'My number is', 'Hello,', 'well...', 'yes', 'ich möchte und', 'it is um'])(
    'comes later after %j',
    (text) => expect(waitAfter(text)).toBe(700),
  );

  it('comes later, the more patient the bot is', () => {
    for (const text of ['Where is my parcel?', 'My number is']) {
      const [quick, normal, patient] = callPatiences.map((patience) => waitAfter(text, patience));
      expect(quick).toBeLessThan(normal ?? 0);
      expect(normal).toBeLessThan(patient ?? 0);
      expect(normal).toBe(waitAfter(text));
    }
  });
});

it.each([
  ['', 0],
  ['The', 1],
  ['no, wait', 2],
  ['你好世界', 2],
])('%j has %i words', (text, count) => expect(countWords(text)).toBe(count));

describe('back-channels', () => {
  it.each(['mhm', 'Mhm.', 'uh-huh', 'Okay, yeah.', 'Ja, genau', ''])('%j is one', (text) => {
    expect(isBackChannel(text)).toBe(true);
  });

  it.each([
    'Stop',
    'no',
    '4711',
    'okay 5',
    'okay but wait',
    'yeah I know that already',
    'right now please stop',
  ])('%j is none', (text) => expect(isBackChannel(text)).toBe(false));
});
