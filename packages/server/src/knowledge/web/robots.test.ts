import { describe, expect, it } from 'vitest';
import { parseRobots } from './robots.ts';

const allows = (robots: string, path: string) => parseRobots(robots, 'svc-knowledge')(path);

describe('robots.txt', () => {
  it.each([
    ['nothing said', '', '/a', true],
    ['everything forbidden', 'User-agent: *\nDisallow: /', '/a', false],
    ['an empty rule forbids nothing', 'User-agent: *\nDisallow:', '/a', true],
    ['a part forbidden', 'User-agent: *\nDisallow: /private', '/private/x', false],
    ['a part forbidden, another asked', 'User-agent: *\nDisallow: /private', '/public', true],
    [
      'our own group counts, not the one for all',
      'User-agent: *\nDisallow: /\n\nUser-agent: SVC-Knowledge\nAllow: /',
      '/a',
      true,
    ],
    ['our own group with a version', 'User-agent: svc-knowledge/1.0\nDisallow: /', '/a', false],
    [
      'our own group in two places',
      'User-agent: svc-knowledge\nDisallow: /a\n\nUser-agent: x\nDisallow: /\n\nUser-agent: svc-knowledge\nDisallow: /b',
      '/b',
      false,
    ],
    ['a group of several names', 'User-agent: other\nUser-agent: svc-knowledge\nDisallow: /a', '/a', false],
    ["somebody else's group", 'User-agent: other\nDisallow: /', '/a', true],
    ['the longest rule wins', 'User-agent: *\nDisallow: /docs\nAllow: /docs/public', '/docs/public/x', true],
    [
      'the longest rule wins, whatever the order',
      'User-agent: *\nAllow: /docs/public\nDisallow: /docs',
      '/docs/x',
      false,
    ],
    ['of equal ones the kind one wins', 'User-agent: *\nDisallow: /a\nAllow: /a', '/a', true],
    ['a star inside', 'User-agent: *\nDisallow: /*/private', '/x/y/private/z', false],
    ['an end', 'User-agent: *\nDisallow: /*.pdf$', '/a.pdf', false],
    ['an end that is not one', 'User-agent: *\nDisallow: /*.pdf$', '/a.pdf?x', true],
    ['an exact path', 'User-agent: *\nDisallow: /a$', '/ab', true],
    ['a query', 'User-agent: *\nDisallow: /*?session=', '/a?session=1', false],
    ['comments and odd line ends', '# hello\r\nUser-agent: * # all\rDisallow: /a # no', '/a', false],
    ['percent signs', 'User-agent: *\nDisallow: /caf%c3%a9', '/caf%C3%A9', false],
    ['letters as percent signs', 'User-agent: *\nDisallow: /%61', '/a', false],
    ['letters of any script', 'User-agent: *\nDisallow: /café', '/caf%C3%A9/menu', false],
    ['letters of any script, another asked', 'User-agent: *\nDisallow: /café', '/cafe', true],
    ['letters of any script in a query', 'User-agent: *\nDisallow: /*?q=ツ$', '/a?q=%E3%83%84', false],
    [
      'letters of any script that are allowed',
      'User-agent: *\nDisallow: /\nAllow: /日本',
      '/%e6%97%a5%E6%9C%AC',
      true,
    ],
    ['half a letter', 'User-agent: *\nDisallow: /\ud800', '/%EF%BF%BD', false],
    ['characters that addresses encode', 'User-agent: *\nDisallow: /a {b}', '/a%20%7Bb%7D', false],
    ['a byte order mark', '\ufeffUser-agent: *\nDisallow: /a', '/a', false],
    ['rules before any group', 'Disallow: /\nUser-agent: x\nDisallow: /', '/a', true],
  ])('%s', (_name, robots, path, expected) => {
    expect(allows(robots, path)).toBe(expected);
  });

  it('takes no time for a pattern that is made to take long', () => {
    const pattern = `/${'*a'.repeat(200)}$`;
    expect(allows(`User-agent: *\nDisallow: ${pattern}`, `/${'a'.repeat(5_000)}b`)).toBe(true);
  });

  it('takes no time for a file that is made to take long', () => {
    const names = Array.from({ length: 30_000 }, (_, index) => `User-agent: bot${index}`).join('\n');
    const rules = Array.from({ length: 5_000 }, (_, index) => `Disallow: /${index}`).join('\n');
    const ours = 'User-agent: svc-knowledge\nDisallow: /ours';
    expect(allows(`${names}\n${rules}\n${ours}`, '/ours')).toBe(false);
    expect(allows(`${names}\nUser-agent: svc-knowledge\n${rules}`, '/4999')).toBe(false);
    expect(allows('User-agent: svc-knowledge\n'.repeat(50_000) + rules, '/4999')).toBe(false);
  });
});
