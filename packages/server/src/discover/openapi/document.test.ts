import { describe, expect, it } from 'vitest';
import { parseDocument } from './document.ts';

/** A few letters that stand for 9^12 values. */
function bomb(): string {
  const names = Array.from({ length: 12 }, (_entry, index) => `a${index}`);
  return names
    .map((name, index) => {
      const entry = index === 0 ? 'x' : `*${names[index - 1]}`;
      return `${name}: &${name} [${Array(9).fill(entry).join(', ')}]`;
    })
    .join('\n');
}

describe('a document that costs too much', () => {
  it.each([
    ['dense', `{"openapi":"3.0.0","paths":{},"x":[${'0,'.repeat(4_000_000)}0]}`, /more than 4000000 values/],
    ['deep', `{"openapi":"3.0.0","x":${'['.repeat(2_000_000)}`, /nested more than 64 levels deep/],
    ['full of aliases', `openapi: 3.0.0\npaths: {}\n${bomb()}`, /more than 4000000 values/],
    ['its own part', 'openapi: 3.0.0\npaths: &a { /x: *a }', /nested more than 64 levels deep/],
  ])('is refused: %s', (_name, text, message) => {
    expect(() => parseDocument(text, 'url')).toThrow(message);
  });

  it('is not one that only says much', () => {
    const brackets = '[{,'.repeat(3_000_000);
    const text = JSON.stringify({ openapi: '3.0.0', info: { description: `"\\${brackets}` }, paths: {} });
    expect(parseDocument(text, 'url')?.paths).toEqual({});
  });
});
