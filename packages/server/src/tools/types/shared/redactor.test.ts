import { describe, expect, it } from 'vitest';
import { createRedactor } from './redactor.ts';

describe('the redactor', () => {
  const secret = 'pa"ss wörd/+&';
  const redactor = createRedactor([secret, 'abc', undefined, 'pa"ss']);

  it.each([
    secret,
    JSON.stringify({ a: secret }),
    encodeURIComponent(secret),
    new URLSearchParams({ a: secret }).toString(),
    Buffer.from(secret).toString('base64'),
  ])('finds a secret in %s', (text) => {
    const clean = redactor.text(`before ${text} after`);
    expect(clean).toContain('***');
    expect(clean).not.toMatch(/wörd|w%C3|rd\//);
    expect(clean).toMatch(/^before .*after$/);
  });

  it('leaves what is too short to be told apart', () => {
    expect(redactor.text('abc')).toBe('abc');
  });

  it('goes through JSON, keys as well', () => {
    expect(redactor.json({ [secret]: [1, null, { a: `x${secret}` }] })).toEqual({
      '***': [1, null, { a: 'x***' }],
    });
  });

  it.each([
    secret,
    JSON.stringify(secret),
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64'),
    'a\0b',
    'a\ud800',
  ])('never takes JSON for clean that holds %j', (text) => {
    const cleaned = redactor.text(text);
    expect(cleaned).not.toBe(text);
    expect(redactor.json({ a: [{ b: text }] })).toEqual({ a: [{ b: cleaned }] });
    expect(redactor.json([{ [text]: 1 }])).toEqual([{ [cleaned]: 1 }]);
  });

  it('keeps what is clean, and cuts what is nested too deeply even then', () => {
    const clean = { a: ['[[{"'.repeat(100), { b: '\\"]' }] };
    expect(redactor.json(clean)).toBe(clean);
    const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));
    expect(redactor.json(nested(48))).toEqual(nested(48));
    expect(JSON.stringify(redactor.json(nested(49)))).toContain('…');
  });

  it('makes text that can be stored', () => {
    expect(redactor.text('a\0b\ud800')).toBe('a\uFFFDb\uFFFD');
  });

  it('does not fall over what is nested deeply', () => {
    const deep: unknown = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000));
    expect(JSON.stringify(redactor.json(deep)).length).toBeLessThan(200);
  });
});
