import { describe, expect, it } from 'vitest';
import { nestingOf } from './nesting.ts';

describe('the nesting of a page', () => {
  it.each([
    ['', 0],
    ['text < more', 0],
    ['<div><b>a</b><i>b</i></div><div></div>', 2],
    ['<p>a<p>b<br><li>c<img><td>', 0],
    ['<DIV><Div></div></DIV>', 2],
    ['</div></div><div>', 1],
    ['<div></b>'.repeat(10), 10],
    ['<x-y>'.repeat(1_000), 51],
  ])('%s', (html, depth) => expect(nestingOf(html, 50)).toBe(depth));
});
