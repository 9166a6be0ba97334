import { describe, expect, it } from 'vitest';
import { toMarkdown } from './to-markdown.ts';

describe('markdown of HTML', () => {
  it.each([
    ['<h1>A</h1><p>b <b>c</b></p><h3>d</h3>', '# A\n\nb **c**\n\n### d'],
    ['<p>snake_case * 2 [x] 1. no</p>', 'snake_case * 2 [x] 1. no'],
    ['<p># no heading</p><p>#hash</p><p>``` x</p>', '\\# no heading\n\n#hash\n\n\\``` x'],
    ['<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>', '-   a\n    -   b\n-   c'],
    ['<pre><code class="language-js">a\n  b</code></pre>', '```js\na\n  b\n```'],
    ['<p>a<img src="http://x/y" alt="a picture">b<img src=z></p>', 'aa pictureb'],
    ['', ''],
  ])('%s', (html, markdown) => expect(toMarkdown(html)).toBe(markdown));
});

describe('tables', () => {
  it.each([
    [
      'with a head',
      '<table><thead><tr><th>Name</th><th>Size</th></tr></thead><tbody><tr><td>Ann</td><td>5</td></tr></tbody></table>',
      '| Name | Size |\n| --- | --- |\n| Ann | 5 |',
    ],
    [
      'whose first row is the head, as in most documents',
      '<table><tr><td><p>a</p></td><td><p>b</p></td></tr><tr><td><p>1</p><p>2</p></td><td>x|y</td></tr></table>',
      '| a | b |\n| --- | --- |\n| 1 2 | x\\|y |',
    ],
    [
      'with empty cells and rows',
      '<table><tr><th>a</th><th></th></tr><tr><td></td><td>2</td></tr><tr><td></td><td> </td></tr></table>',
      '| a |  |\n| --- | --- |\n| | 2 |\n| |  |',
    ],
    [
      'with a caption',
      '<table><caption>Sizes</caption><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>',
      'Sizes\n\n| a | b |\n| --- | --- |\n| 1 | 2 |',
    ],
    [
      'that only set things in their places',
      '<table><tr><td><h2>a</h2><p>b</p></td></tr><tr><td><p>c</p></td></tr></table>',
      '## a\n\nb\n\nc',
    ],
    [
      'that hold tables',
      '<table><tr><td>menu</td><td><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table></td></tr><tr><td>x</td></tr></table>',
      'menu\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\nx',
    ],
  ])('%s', (_name, html, markdown) => expect(toMarkdown(html)).toBe(markdown));
});
