import { describe, expect, it } from 'vitest';
import type { MarkdownNode } from './markdown-node.ts';
import { parseBlocks } from './parse-blocks.ts';

/** One line per block: `p(a em(b))`. */
function outline(text: string, isGrowing = false): string {
  return parseBlocks(text.split('\n'), { isGrowing })
    .map(({ node }) => describeNode(node))
    .join('\n');
}

function describeNode(node: MarkdownNode): string {
  if (typeof node === 'string') return node;
  const { tag, href, align, number, children } = node;
  return `${tag}${href ? `<${href}>` : ''}${align ? `:${align}` : ''}${number ?? ''}(${children.map(describeNode).join('')})`;
}

describe('text', () => {
  it.each([
    ['**a** *b* ***c*** __d__ _e_ ~~f~~', 'p(strong(a) em(b) strong(em(c)) strong(d) em(e) s(f))'],
    ['snake_case_name and __init__.py', 'p(snake_case_name and strong(init).py)'],
    ['2*3*4, 2 * 3, **open', 'p(2*3*4, 2 * 3, **open)'],
    ['**a *b** c*', 'p(strong(a *b) c*)'],
    ['*see **this***', 'p(em(see strong(this)))'],
    ['**see *this***', 'p(strong(see em(this)))'],
    ['_e __f___ and ***open', 'p(em(e strong(f)) and ***open)'],
    ['AT&amp;T &lt;b&gt; &copy; &#8364;&#x20ac; &hellip; `&amp;`', 'p(AT&T <b> © €€ … code(&amp;))'],
    ['&#42;a&#42; &nosuch; &amp &; a&#0;b&#8238;c&#55296;d&#9999999;', 'p(*a* &nosuch; &amp &; abcd)'],
    ['&#128029; &constructor; &nbsp;', 'p(🐝 &constructor; \u00a0)'],
    ['$5 or $HOME, \\*no\\*', 'p($5 or $HOME, *no*)'],
    ['`a*b*` `` c`d `` `e', 'p(code(a*b*) code(c`d) `e)'],
    ['one\ntwo<br>three', 'p(onebr()twobr()three)'],
    ['<b>x</b> <img src=x onerror=y> &amp;', 'p(<b>x</b> <img src=x onerror=y> &)'],
    [
      'as in [1][12], [3](https://a.test), [x]',
      'p(as in citation1([1])citation12([12]), a<https://a.test/>(3), [x])',
    ],
  ])('%j', (text, expected) => {
    expect(outline(text)).toBe(expected);
  });
});

describe('links', () => {
  it.each([
    ['[a *b*](https://a.test/x_(y) "title")', 'p(a<https://a.test/x_(y)>(a em(b)))'],
    ['(https://a.test/a_b_(c)).', 'p((a<https://a.test/a_b_(c)>(https://a.test/a_b_(c))).)'],
    [
      '<https://a.test>, [mail](mailto:a@b.test)',
      'p(a<https://a.test/>(https://a.test), a<mailto:a@b.test>(mail))',
    ],
    ['[x](javascript:alert(1)) [x](data:text/html,x) [x](/a) [x]( JaVaScRiPt:1)', 'p(x x x x)'],
    ['[x](java\tscript:1) [x](\u0001javascript:1) [x](https://bank.test@evil.test)', 'p(x x x)'],
    ['https://bank.test@evil.test', 'p(https://bank.test@evil.test)'],
    [
      'see [[1]](https://a.test), [[a] b](https://a.test)',
      'p(see a<https://a.test/>([1]), a<https://a.test/>([a] b))',
    ],
    [
      '[a [b](https://b.test) c](https://a.test)',
      'p([a a<https://b.test/>(b) c](a<https://a.test/>(https://a.test)))',
    ],
    [
      '[a\\] b](https://a.test) [[[[[a](https://a.test)',
      'p(a<https://a.test/>(a] b) [[[[a<https://a.test/>(a))',
    ],
    [
      '[Call us](tel:+49-30-1234) [x](tel:+49 30 12)',
      'p(a<tel:+49-30-1234>(Call us (+49-30-1234)) a<tel:+493012>(x (+493012)))',
    ],
    [
      '[x](<https://a.test/my file.pdf>) [y](<https://a.test/(b> "t")',
      'p(a<https://a.test/my%20file.pdf>(x) a<https://a.test/(b>(y))',
    ],
    [
      '[x](https://a.test/my file.pdf) [y](https://a.test (t))',
      'p(a<https://a.test/my%20file.pdf>(x) a<https://a.test/>(y))',
    ],
    ['[x](https://a.test/?a=1&amp;b=2) [y](javascript&#58;alert(1))', 'p(a<https://a.test/?a=1&b=2>(x) y)'],
    ['[![logo](https://i.test/p.png)](https://a.test)', 'p(a<https://a.test/>(logo (a.test)))'],
    [
      '[![](https://i.test/p.png)](https://a.test) [![a](x) b](https://a.test)',
      'p(a<https://a.test/>(a.test) a<https://a.test/>(a b (a.test)))',
    ],
    ['[optional](if you like)', 'p([optional](if you like))'],
    ['[x](vbscript:a) [x](file:///etc/passwd) [x](//a.test)', 'p(x x x)'],
  ])('%j', (text, expected) => {
    expect(outline(text)).toBe(expected);
  });

  it('show where they lead if their label names another host, or is a picture', () => {
    expect(outline('[https://bank.test](https://evil.test/bank.test)')).toBe(
      'p(a<https://evil.test/bank.test>(https://bank.test (evil.test)))',
    );
    for (const label of [
      'b\u0430nk.test',
      'bank\u200b.test',
      '\u202etset.knab',
      'b&#1072;nk.test',
      '&#98;ank.test',
      '[bank.test]',
      '\\[bank.test\\]',
      'bank\\.test',
      '**bank**.test',
      '`bank.test`',
      '(https://bank.test/login)',
      '→ bank.test!',
    ])
      expect(outline(`[${label}](https://evil.test)`)).toContain(' (evil.test)');
    expect(outline('[[a.test]](https://a.test) [*a*.test](https://a.test)')).toBe(
      'p(a<https://a.test/>([a.test]) a<https://a.test/>(em(a).test))',
    );
    expect(outline('https://b\u0430nk.test')).toContain('(xn--');
    expect(outline('[\u202eb](https://a.test) https://a.test/\u202eb')).toBe(
      'p(a<https://a.test/>(b) a<https://a.test/%E2%80%AEb>(https://a.test/b))',
    );
    for (const label of ['help@bank.test', 'mailto:help@bank.test', '`help@bank.test`', 'bank.test'])
      expect(outline(`[${label}](mailto:x@evil.test)`)).toContain(' (x@evil.test)');
    expect(outline('[help@bank.test](https://evil.test)')).toContain(' (evil.test)');
    expect(outline('[help@bank.test](mailto:help@bank.test?bcc=x@evil.test)')).toContain('?bcc=x@evil.test)');
    expect(outline('[Help@bank.test](mailto:help@bank.test?subject=a) [Write us](mailto:a@b.test)')).toBe(
      'p(a<mailto:help@bank.test?subject=a>(Help@bank.test) a<mailto:a@b.test>(Write us))',
    );
    expect(outline('[www.bank.test/login](https://bank.test)')).toBe(
      'p(a<https://bank.test/>(www.bank.test/login))',
    );
    expect(outline('![secret](https://evil.test/?q=1) ![](https://evil.test)')).toBe(
      'p(a<https://evil.test/?q=1>(secret (evil.test)) a<https://evil.test/>(evil.test))',
    );
  });
});

it('links to telephones show their number, unless that is their label', () => {
  expect(outline('[+49 30 1234567](tel:+19005550000)')).toBe(
    'p(a<tel:+19005550000>(+49 30 1234567 (+19005550000)))',
  );
  expect(outline('[**+49** (30) 12-34](tel:+49-30-1234)')).toBe(
    'p(a<tel:+49-30-1234>(strong(+49) (30) 12-34))',
  );
  // What is dialled may be more than digits.
  expect(outline('[21 555](tel:*21*555) [311900](tel:%31900)')).toBe(
    'p(a<tel:*21*555>(21 555 (*21*555)) a<tel:%31900>(311900 (%31900)))',
  );
});

describe('blocks', () => {
  it.each([
    ['# A\n### B ##\ntext\n\n---\nmore', 'h3(A)\nh3(B)\np(text)\nhr()\np(more)'],
    ['Title\n=====\ntext\nmore\n---\n\n===', 'h3(Title)\nh3(textbr()more)\np(===)'],
    ['- a\n---\n> b\n---\n- c\n  ===', 'ul(li(a))\nhr()\nblockquote(p(b))\nhr()\nul(li(h3(c)))'],
    ['1. a\n2. b\n   - c\n\n   d\n3. e\n\nf', 'ol(li(a)li(bul(li(c))p(d))li(e))\np(f)'],
    ['- a\n\t- b\n\t\t- c\n- d', 'ul(li(aul(li(bul(li(c)))))li(d))'],
    ['In C:\\Users\\\nand C:\\', 'p(In C:\\Usersbr()and C:\\)'],
    ['- a\n  - b\n    - c\n- d\nlazy', 'ul(li(aul(li(bul(li(c)))))li(dbr()lazy))'],
    ['In\n1986. it was\n- a\n\n4. b', 'p(Inbr()1986. it was)\nul(li(a))\nol4(li(b))'],
    ['> a\n> - b\n\nc', 'blockquote(p(a)ul(li(b)))\np(c)'],
    ['```js\na **b**\n\n  c\n```\nd', 'pre(code(a **b**\n\n  c))\np(d)'],
    ['~~~\n```\n~~~', 'pre(code(```))'],
    [
      '| a | b |\n|:--|--:|\n| 1 | c \\| d |\n\ne',
      'table(tr(th(a)th:right(b))tr(td(1)td:right(c | d)))\np(e)',
    ],
    ['a|b\n-|:-:\n1|2|3', 'table(tr(th(a)th:center(b))tr(td(1)td:center(2)))'],
    ['a | b', 'p(a | b)'],
  ])('%j', (text, expected) => {
    expect(outline(text)).toBe(expected);
  });
});

describe('a text that is still being written', () => {
  it.each([
    ['**bo', 'p(strong(bo))'],
    ['a `co', 'p(a code(co))'],
    ['[label](https://a.te', 'p(label)'],
    ['[label](<https://a.test/my fi', 'p(label)'],
    ['| a | b', 'table(tr(th(a)th(b)))'],
    ['- **a', 'ul(li(strong(a)))'],
    ['**a\n\nb', 'p(**a)\np(b)'],
    ['***a', 'p(strong(em(a)))'],
    ['a\n-', 'p(a)\nul(li())'],
    ['a\n--', 'h3(a)'],
  ])('%j', (text, expected) => {
    expect(outline(text, true)).toBe(expected);
  });
});

describe('hostile texts', () => {
  const parts = [
    '[',
    '![',
    '`',
    '` `` ',
    '*a',
    '**a ',
    '_a ',
    '*_~~[a](',
    '[](',
    '[a]((((',
    '<',
    '> ',
    '- ',
    '  - a\n',
    '|\n',
  ];
  const others = [
    '1. ',
    'https://.',
    '\\',
    '\n',
    'a\n\n',
    '# ',
    '```\n~~~\n',
    '| a |\n|-|\n',
    'h ',
    ' ',
    '\t- ',
    '&',
    '&amp;',
    '&#',
    '[a',
    '[[a](',
    '[[]](',
    '![a](b',
    '***a',
    '*a **b***',
    'a\n=\n',
    'a\n-',
    '[x](<',
    '[x](a "',
    `[x](a${' '.repeat(1_900)}b)`,
    `[x](<a>${' '.repeat(1_900)}`,
    `[${'-'.repeat(900)}](https://a.test)`,
    `[${'a.'.repeat(450)}1](https://a.test)`,
    `[${'a.aa/'.repeat(180)}](tel:1)`,
  ];

  it.each([...parts, ...others])('cost as much as their length: %j', (part) => {
    const text = part.repeat(Math.ceil(25_000 / part.length));
    const started = process.threadCpuUsage();
    for (const isGrowing of [true, false])
      expect(depth(parseBlocks(text.split('\n'), { isGrowing }))).toBeLessThan(40);
    const { user } = process.threadCpuUsage(started);
    // The usual cost is 25 ms of processor time; anything quadratic takes two seconds.
    expect(user / 1_000).toBeLessThan(600);
  });

  function depth(blocks: { node: MarkdownNode }[]): number {
    const of = (node: MarkdownNode): number =>
      typeof node === 'string'
        ? 0
        : 1 + node.children.reduce((max: number, child) => Math.max(max, of(child)), 0);
    return blocks.reduce((max, { node }) => Math.max(max, of(node)), 0);
  }
});
