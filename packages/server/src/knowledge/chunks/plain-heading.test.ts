import { describe, expect, it } from 'vitest';
import { plainHeading } from './plain-heading.ts';

describe('the words of a heading', () => {
  it.each([
    ['Plain  words', 'Plain words'],
    ['The **bold** and the *slanted* one', 'The bold and the slanted one'],
    ['Calling `fetch` and ``two``', 'Calling fetch and two'],
    ['__init__ is [linked](https://example.com) ![drawn](a.png)', 'init is linked drawn'],
    ['3 \\* 4', '3 * 4'],
    ['a * b and ** c', 'a * b and ** c'],
  ])('%s', (text, plain) => {
    expect(plainHeading(text)).toBe(plain);
  });

  it.each(['`', '__a ', '*a ', '[', '[a](', '![a', '\\', ' '])('many of %j take no time', (piece) => {
    expect(plainHeading(piece.repeat(20_000)).length).toBeLessThanOrEqual(500);
  });
});
