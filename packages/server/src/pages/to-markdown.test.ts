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
    [
      'with cells over several columns',
      '<table><tr><th>Day</th><th>Mon</th><th>Tue</th><th>Wed</th></tr><tr><td>Open</td><td colspan="2">closed</td><td>9-17</td></tr></table>',
      '| Day | Mon | Tue | Wed |\n| --- | --- | --- | --- |\n| Open | closed | closed | 9-17 |',
    ],
    [
      'with cells over several rows',
      '<table><tr><th>City</th><th>Day</th><th>Open</th></tr><tr><td rowspan="2">Ulm</td><td>Mon</td><td rowspan="3">9-17</td></tr><tr><td>Tue</td></tr><tr><td>Bonn</td><td>Wed</td></tr><tr><td>Kiel</td><td>Thu</td><td>10-12</td></tr></table>',
      '| City | Day | Open |\n| --- | --- | --- |\n| Ulm | Mon | 9-17 |\n| Ulm | Tue | 9-17 |\n| Bonn | Wed | 9-17 |\n| Kiel | Thu | 10-12 |',
    ],
    [
      'with cells over rows and columns, a head of two rows, and a row without cells',
      '<table><thead><tr><th rowspan=2>a</th><th colspan=2>b</th></tr><tr><th>c</th><th>d</th></tr></thead><tbody><tr><td>1</td><td rowspan=2 colspan=2>2</td></tr><tr><td>3</td></tr><tr><td rowspan=2>4</td><td rowspan=2>5</td><td rowspan=2>6</td></tr><tr></tr></tbody></table>',
      '| a | b | b |\n| --- | --- | --- |\n| a | c | d |\n| 1 | 2 | 2 |\n| 3 | 2 | 2 |\n| 4 | 5 | 6 |\n| 4 | 5 | 6 |',
    ],
    [
      'whose spans end with their group of rows, or are numbers that make no sense',
      '<table><thead><tr><th rowspan="9">a</th><th colspan="-1">b</th></tr></thead><tbody><tr><td rowspan="0">1</td><td rowspan="x">2</td></tr><tr><td>3</td></tr></tbody></table>',
      '| a | b |\n| --- | --- |\n| 1 | 2 |\n| 1 | 3 |',
    ],
    [
      'with a cell below that would be after a gap',
      '<table><tr><td>a</td><td>b</td><td rowspan="2">c</td></tr><tr><td>1</td></tr></table>',
      '| a | b | c |\n| --- | --- | --- |\n| 1 |  | c |',
    ],
  ])('%s', (_name, html, markdown) => expect(toMarkdown(html)).toBe(markdown));

  it.each([
    '<td rowspan="1000000" colspan="1000000">x</td>',
    '<td rowspan="0" colspan="999"></td>',
    `<td colspan="1000">${'long '.repeat(500)}</td>`,
  ])('whose spans are endless do not grow without bound: %#', (hostile) => {
    const html = `<table>${`<tr>${hostile}<td>y</td></tr>`.repeat(500)}</table>`;
    expect(toMarkdown(html).length).toBeLessThan(html.length + 1_100_000);
  });
});
