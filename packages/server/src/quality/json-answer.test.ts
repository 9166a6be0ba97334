import { describe, expect, it } from 'vitest';
import { readJsonAnswer } from './json-answer.ts';

describe('a JSON answer', () => {
  it.each([
    '{"score":1}',
    '  {"score": 1}\n',
    '```json\n{ "score": 1 }\n```',
    'Here you are: {"score": 1} — as you asked.',
    '{\n"score"\n:\n1}',
  ])('is found in %j', (text) => expect(readJsonAnswer(text)).toEqual({ score: 1 }));

  it.each(['', 'I cannot say.', '0.5', '[1]', '{', '}{', '{"score": 1', '{"a":1} {"b":2}', "{'score': 1}"])(
    'is not found in %j',
    (text) => expect(readJsonAnswer(text)).toBeUndefined(),
  );
});
