import { expect, it } from 'vitest';
import { mentionsIn } from './mentions-in.ts';

const members = ['Ann', 'Anna', 'Ann Lee', 'Bob'].map((name) => ({ id: name.toLowerCase(), name }));

it.each([
  ['please look, @Anna', ['anna']],
  ['@Ann Lee and @Bob: a refund?', ['ann lee', 'bob']],
  ['@Ann, @Ann Lee', ['ann', 'ann lee']],
  ['@Annabel wrote to bob@Bobby.example', []],
  ['Ann, Bob', []],
])('%s', (text, ids) => {
  expect(mentionsIn(text, members)).toEqual(ids);
});
