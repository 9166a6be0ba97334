import { expect, it } from 'vitest';
import { readVerdict, type Verdict, verdictForm } from './completion-verdict.ts';

const read = (text: string) => readVerdict(verdictForm.check(JSON.parse(text)));
const complete: Verdict = { verdict: 'complete', missing: [] };
const incomplete = (...missing: string[]): Verdict => ({ verdict: 'incomplete', missing });

it.each([
  ['{"verdict":"complete","missing":[]}', complete],
  ['{"verdict":"complete"}', complete],
  ['{"verdict":" Complete ","missing":null}', complete],
  ['{"verdict":"incomplete","missing":["the mail"]}', incomplete('the mail')],
  ['{"verdict":"INCOMPLETE","missing":"the mail"}', incomplete('the mail')],
  ['{"verdict":"incomplete","missing":[" ", null, {"part":"a"}, 7]}', incomplete('{"part":"a"}', '7')],
  ['{"verdict":"incomplete"}', incomplete()],
  ['{"verdict":"incomplete","missing":["a\\u0000b\\ud800"]}', incomplete('ab\uFFFD')],
])('reads %s', (text, expected) => {
  expect(read(text)).toEqual(expected);
});

it.each([
  ['"complete"', 'The answer must be an object.'],
  ['["complete"]', 'The answer must be an object.'],
  ['null', 'The answer must be an object.'],
  ['{"verdict":"done"}', '"verdict" must be "complete" or "incomplete".'],
  ['{"verdict":true}', 'verdict must be a string.'],
  ['{"complete":true}', 'verdict is required.'],
  ['{"verdict":"complete","missing":["x"]}', '"verdict" is "complete", and yet "missing" names something.'],
])('makes no verdict of %s', (text, problem) => {
  expect(() => read(text)).toThrow(problem);
});

it('keeps what is missing within bounds', () => {
  const missing = Array.from({ length: 50 }, () => 'x'.repeat(5_000));
  expect(readVerdict({ verdict: 'incomplete', missing })).toEqual(
    incomplete(...Array.from({ length: 20 }, () => 'x'.repeat(1_000))),
  );
});
