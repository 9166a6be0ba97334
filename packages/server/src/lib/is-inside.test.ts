import { expect, it } from 'vitest';
import { isInside } from './is-inside.ts';

it.each([
  ['/home/ada/shop/a.txt', '/home/ada/shop', true],
  ['/home/ada/shop/src/a.txt', '/home/ada/shop', true],
  ['/home/ada/shop/..a/b', '/home/ada/shop', true],
  ['/a.txt', '/', true],
  [String.raw`C:\shop\a.txt`, String.raw`C:\shop`, true],
  ['/home/ada/shop-secrets/a.txt', '/home/ada/shop', false],
  ['/home/ada/shop', '/home/ada/shop', false],
  ['/home/ada/shop/', '/home/ada/shop', false],
  ['/home/ada/shop/../b.txt', '/home/ada/shop', false],
  [String.raw`/home/ada/shop/..\b.txt`, '/home/ada/shop', false],
  ['/home/ada/shop/./a.txt', '/home/ada/shop', false],
  ['/home/ada/shop//a.txt', '/home/ada/shop', false],
  ['home/ada/shop/a.txt', '/home/ada/shop', false],
  [String.raw`C:\shop2\a.txt`, String.raw`C:\shop`, false],
])('%s in %s: %s', (path, directory, expected) => {
  expect(isInside(path, directory)).toBe(expected);
});
