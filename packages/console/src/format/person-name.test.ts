import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { isMadeUp, personName } from './person-name.ts';

it('gives visitors a name that stays theirs, and leaves others their own', () => {
  expect(personName('visitor_0000001d-0024-4000-8000-000000000000')).toBe('Teal Otter');
  const id = `visitor_${randomUUID()}`;
  expect(personName(id)).toMatch(/^[A-Z][a-z]+ [A-Z][a-z]+$/);
  expect(personName(id)).toBe(personName(id));
  for (const own of ['customer-17', 'visitor_', 'visitor_x', `x${id}`, 'ada@example.com'])
    expect(personName(own)).toBe(own);
});

it('calls people as they call themselves', () => {
  const id = `visitor_${randomUUID()}`;
  expect(personName(id, 'Mia')).toBe('“Mia”');
  expect(personName('customer-17', 'Mia')).toBe('customer-17 · Mia');
  expect(personName(id, null)).toBe(personName(id));
  expect([isMadeUp(id), isMadeUp(id, 'Mia'), isMadeUp('customer-17')]).toEqual([true, false, false]);
});

it('rarely gives two of them the same', () => {
  const names = new Set(Array.from({ length: 100 }, () => personName(`visitor_${randomUUID()}`)));
  expect(names.size).toBeGreaterThan(80);
});
