import { expect, it } from 'vitest';
import { covers, languageName, languageTag } from './language-tag.ts';

it.each([
  ['German', 'de'],
  ['deutsch', 'de'],
  ['de-AT', 'de'],
  ['German (formal)', 'de'],
  ['Español', 'es'],
  ['français, toujours', 'fr'],
  ['English', 'en'],
  ['  ', undefined],
  ['the language of the caller', undefined],
  [undefined, undefined],
])('%j is %s', (named, tag) => {
  expect(languageTag(named)).toBe(tag);
});

it('is covered by a list that has it, and by what has no list', () => {
  expect([
    covers(['en'], 'de'),
    covers(['en', 'de'], 'de'),
    covers(undefined, 'de'),
    covers(['en'], undefined),
  ]).toEqual([false, true, true, true]);
  expect(languageName('de')).toBe('German');
});
