import { expect, it } from 'vitest';
import { problemsOf } from './problems-of.ts';

const complete = { transport: 'twilio', listening: ['deepgram'], speaking: ['local'] } as const;

it('finds nothing wrong with what is complete', () => {
  const given = { ...complete, listening: [...complete.listening], speaking: [...complete.speaking] };
  expect(problemsOf(given, 'https://svc.example.com')).toEqual([]);
  expect(problemsOf({ ...given, transport: 'sip' }, 'http://127.0.0.1:3000')).toEqual([]);
  expect(problemsOf({ ...given, transport: null }, 'http://127.0.0.1:3000')).toEqual([]);
});

it('names what to set for whatever is missing', () => {
  const missing = { transport: 'twilio' as const, listening: [], speaking: [] };
  const problems = problemsOf(missing, 'http://shop.example.com');
  expect(problems).toEqual([
    expect.stringContaining('SVC_PUBLIC_URL'),
    expect.stringContaining('DEEPGRAM_API_KEY'),
    expect.stringContaining('CARTESIA_API_KEY'),
  ]);
  for (const url of [
    'https://localhost',
    'https://127.0.0.1:3000',
    'https://[::1]',
    'http://svc.example.com',
  ])
    expect(problemsOf(missing, url)[0]).toContain('SVC_PUBLIC_URL');
});

it('names bots whose callers are not understood, and counts the rest', () => {
  const bots = ['Anna', 'Bert', 'Cleo', 'Dora', 'Emil', 'Fred'].map((name) => ({ name, language: 'German' }));
  const given = { ...complete, listening: ['local'], speaking: ['local'] };
  const [first, ...others] = problemsOf(given, 'https://svc.example.com', bots);
  expect(first).toMatch(/^Anna speaks German, but .* only English/);
  expect(others.at(-1)).toBe('The same goes for 1 more bot.');
  expect(others).toHaveLength(5);
});
