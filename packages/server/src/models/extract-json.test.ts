import { describe, expect, it } from 'vitest';
import { extractJson } from './extract-json.ts';

const extract = (text: string, allowProse = true) => extractJson(text, { allowProse });
const fenced = (json: string, language = 'json') => `\`\`\`${language}\n${json}\n\`\`\``;

describe('JSON is extracted from', () => {
  it.each([
    ['the whole text', ' {"score": 1}\n', { score: 1 }],
    ['a list', '[{"score": 1}]', [{ score: 1 }]],
    ['a value', '"four"', 'four'],
    ['a fenced block', fenced('{"score": 1}'), { score: 1 }],
    ['a block without a language', fenced('{"score": 1}', ''), { score: 1 }],
    ['a block among {prose}', `Here {it} is:\n\n${fenced('{"score": 1}')}\nAnything else?`, { score: 1 }],
    ['the only block that is JSON', `${fenced('ls', 'sh')}\n${fenced('{"score": 1}')}`, { score: 1 }],
    ['a text that quotes a fence', '{"a": "```json\\n{}\\n```"}', { a: '```json\n{}\n```' }],
  ])('%s', (_what, text, value) => {
    expect(extract(text)).toEqual({ kind: 'json', value });
    expect(extract(text, false)).toEqual({ kind: 'json', value });
  });

  it.each([
    ['an object', 'Here you are: {"score": 1} — as you asked.', { score: 1 }],
    ['an object with citations', 'As [1] says: {"score": 1}. See [2].', { score: 1 }],
    ['a list of objects', 'Facts: [{"number": 1}, {"number": 2}].', [{ number: 1 }, { number: 2 }]],
    ['a list of one object', 'Facts: [{"number": 1}].', [{ number: 1 }]],
    ['a block that was not closed', '```json\n{"score": 1}', { score: 1 }],
    ['a block on one line', '```json {"score": 1}```', { score: 1 }],
  ])('prose with %s, where that is allowed', (_what, text, value) => {
    expect(extract(text)).toEqual({ kind: 'json', value });
    expect(extract(text, false)).toMatchObject({ kind: 'broken' });
  });
});

describe('JSON is not guessed from', () => {
  it.each([
    ['nothing', '', 'is not valid JSON: '],
    ['prose', 'I cannot say.', 'is not valid JSON: '],
    ['half an object', '{"score": 1', 'is not valid JSON: '],
    ['brackets the wrong way round', '}{', 'is not valid JSON: '],
    ['other quotes', "{'score': 1}", 'is not valid JSON: '],
    ['two objects', '{"score": 0.1} {"score": 0.9}', 'is not valid JSON: '],
    ['two blocks', `${fenced('{"a": 1}')}\nor\n${fenced('{"a": 2}')}`, 'is more than one block of JSON'],
    ['an object beside a block', `{"a": 1}\n${fenced('{"a": 2}')}`, 'is more than one JSON value'],
    ['two objects beside a block', `{"a": 1} {"a": 3}\n${fenced('{"a": 2}')}`, 'is more than one JSON value'],
    [
      'a block that was not closed beside a block',
      `${fenced('{}')}\n\`\`\`\n{}`,
      'is more than one JSON value',
    ],
    [
      'too many levels',
      `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      'is nested more than 1000 levels deep',
    ],
  ])('%s', (_what, text, problem) => {
    expect(extract(text)).toEqual({ kind: 'broken', problem: expect.stringContaining(problem) });
  });

  const length = 400_000;
  it.each(['{', '}', '[', '{ ', '{"', '[{', '```', '```\n', '```a', '` ``\n', '``` \n{', '{}', '\n', 'x'])(
    'a hostile repetition of %j, in linear time',
    { timeout: 30_000 },
    (piece) => expect(extract(piece.repeat(length / piece.length))).toMatchObject({ kind: 'broken' }),
  );
});
