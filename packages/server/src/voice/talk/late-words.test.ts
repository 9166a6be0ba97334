import { expect, it } from 'vitest';
import { isSameText, newWords } from './late-words.ts';

it.each([
  ['Where is my parcel?', 'where is my parcel', false, ''],
  ['Where is my parcel? And the other one?', 'where is my parcel', false, 'And the other one?'],
  ['Where is my parcel, please?', 'where is my', false, 'parcel, please?'],
  ['Where was my parcel?', 'where is my parcel', false, ''],
  ['Where is my parcel?', 'where is my parcel', true, 'Where is my parcel?'],
  ['Never mind.', 'where is my parcel', true, 'Never mind.'],
])('%j after %j', (text, answered, hasSpokenSince, expected) => {
  expect(newWords(text, answered, hasSpokenSince)).toBe(expected);
});

it('knows the same text in other writing', () => {
  expect(isSameText('Where is my parcel?', 'where is my parcel')).toBe(true);
  expect(isSameText('The lamp is broken.', 'The limb.')).toBe(false);
});
