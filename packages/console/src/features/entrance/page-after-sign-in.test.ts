import { expect, it } from 'vitest';
import { pageAfterSignIn } from './page-after-sign-in.ts';

it.each(['/w/1/bots?test=1', '/invite?token=x'])('leads to %s', (next) => {
  expect(pageAfterSignIn(next)).toBe(next);
});

it.each([
  undefined,
  '',
  '//evil.example.com',
  'https://evil.example.com',
  '/\\evil',
  'w/1',
  '/setup?token=x',
])('leads to the start instead of %s', (next) => {
  expect(pageAfterSignIn(next)).toBe('/');
});
