import { expect, it } from 'vitest';
import { readVerdict } from './verdict.ts';

const complete = { kind: 'verdict', verdict: { verdict: 'complete', missing: [] } };
const incomplete = (...missing: string[]) => ({
  kind: 'verdict',
  verdict: { verdict: 'incomplete', missing },
});

it.each([
  ['{"verdict":"complete","missing":[]}', complete],
  ['{"verdict":"complete"}', complete],
  ['{"verdict":" Complete ","missing":null}', complete],
  ['```json\n{"verdict":"complete","missing":[]}\n```', complete],
  ['Here is my verdict: {"verdict":"complete","missing":[]}. Good luck!', complete],
  ['{"verdict":"incomplete","missing":["the mail"]}', incomplete('the mail')],
  ['{"verdict":"INCOMPLETE","missing":"the mail"}', incomplete('the mail')],
  ['{"verdict":"incomplete","missing":[" ", null, {"part":"a"}, 7]}', incomplete('{"part":"a"}', '7')],
  ['{"verdict":"incomplete"}', incomplete()],
  ['{"verdict":"incomplete","missing":["a\\u0000b\\ud800"]}', incomplete('ab\uFFFD')],
])('reads %s', (text, expected) => {
  expect(readVerdict(text)).toEqual(expected);
});

it.each([
  ['', 'It is not a JSON object.'],
  ['complete', 'It is not a JSON object.'],
  ['"complete"', 'It is not a JSON object.'],
  ['["complete"]', 'It is not a JSON object.'],
  ['null', 'It is not a JSON object.'],
  ['{"verdict":"complete"', 'It is not a JSON object.'],
  ['{"verdict":"done"}', '"verdict" must be "complete" or "incomplete".'],
  ['{"verdict":true}', '"verdict" must be "complete" or "incomplete".'],
  ['{"complete":true}', '"verdict" must be "complete" or "incomplete".'],
  ['{"verdict":"complete","missing":["x"]}', '"verdict" is "complete", and yet "missing" names something.'],
])('makes no verdict of %s', (text, problem) => {
  expect(readVerdict(text)).toEqual({ kind: 'unclear', problem });
});

it('keeps what is missing within bounds', () => {
  const missing = Array.from({ length: 50 }, () => 'x'.repeat(5_000));
  const read = readVerdict(JSON.stringify({ verdict: 'incomplete', missing }));
  expect(read).toEqual(incomplete(...Array.from({ length: 20 }, () => 'x'.repeat(1_000))));
});
