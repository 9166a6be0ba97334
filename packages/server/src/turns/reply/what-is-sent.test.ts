import { expect, it } from 'vitest';
import type { Grade } from './reply-quality.ts';
import { whatIsSent } from './what-is-sent.ts';

const grade = (over: Partial<Grade>): Grade => ({
  score: 1,
  problem: null,
  replacement: null,
  question: null,
  usage: null,
  ...over,
});

it.each([
  ['everything, where replies are not graded', false, undefined, ['Hi', true, null]],
  ['a reply with a good grade', true, grade({}), ['Hi', true, null]],
  ['a reply that nobody could grade', true, grade({ score: null, problem: 'x' }), ['Hi', true, null]],
  ['something else for a low grade', true, grade({ replacement: 'Sorry' }), ['Sorry', false, 'Hi']],
  ['nothing of what has no grade yet', true, undefined, ['', false, null]],
])('sends %s', (_what, isGraded, given, [content, isModelText, refusedText]) => {
  expect(whatIsSent('Hi', { isGraded, grade: given })).toEqual({ content, isModelText, refusedText });
});
