import { describe, expect, it } from 'vitest';
import { threadMilliseconds } from '../../test/support/event-loop.ts';
import { pageText, withoutSilentParts } from './page-text.ts';

describe('the plain text of a page', () => {
  it.each([
    ['<p>One</p><p>Two &amp; &lt;three&gt; &#8364; &#x20AC; &nbsp;x</p>', 'One\n\nTwo & <three> € € x'],
    ['<script>a<b>c</script>x<style>y</style>z<!-- <p>no</p> -->!', 'xz!'],
    ['a < b and c > d', 'a < b and c > d'],
    ['<!doctype html><head><title>T</title></head><body>b', 'b'],
    ['x<SCRIPT >never closed', 'x'],
    ['x<!-- never closed', 'x'],
    ['x<a href="', 'x'],
    ['&#0;&#xD800;&#99999999;&unknown;', '\uFFFD&#99999999;&unknown;'],
    ['', ''],
  ])('%s', (html, expected) => {
    expect(pageText(html)).toBe(expected);
  });

  it('leaves out what is never shown, and only that', () => {
    const html =
      '<p>a</p><script src="x">1 < 2</script><svg><path/></svg><b>c</b><!-- d --><scripture>e</scripture>';
    expect(withoutSilentParts(html)).toBe('<p>a</p><b>c</b><scripture>e</scripture>');
  });

  it.each(['<', '<a', '<script', '<script>', '<!--', '</', '&', '&#', '<div>', '<svg><', '\n ', '<title'])(
    'takes no longer for two megabytes of %j',
    (piece) => {
      const html = piece.repeat(2_000_000 / piece.length);
      const startedAt = threadMilliseconds();
      pageText(html);
      withoutSilentParts(html);
      expect(threadMilliseconds() - startedAt).toBeLessThan(2_000);
    },
  );
});
