import { describe, expect, it } from 'vitest';
import { runMessage, runTerms } from './run-terms.ts';

const now = new Date('2026-11-15T09:30:00.000Z');
const agent = { maxIterations: 25, timeoutSeconds: null };

describe('the terms of a run', () => {
  it.each([
    [undefined, 25],
    [0, 25],
    [-3, 25],
    [1, 1],
    [900, 900],
    [2 ** 53, 2_147_483_647],
  ])('take %s iterations when asked for as %s', (wanted, expected) => {
    expect(runTerms(agent, wanted, now).maxIterations).toBe(expected);
  });

  it.each([
    [null, '2026-11-16T09:30:00.000Z'],
    [90, '2026-11-15T09:31:30.000Z'],
    [1_000_000, '2026-11-16T09:30:00.000Z'],
  ])('with a timeout of %s end at %s', (timeoutSeconds, expected) => {
    expect(runTerms({ ...agent, timeoutSeconds }, undefined, now).deadlineAt.toISOString()).toBe(expected);
  });
});

it('puts what came with the run under its heading, and no heading over nothing', () => {
  expect(runMessage('Count the stars.', null)).toBe('Count the stars.');
  expect(runMessage('Count the stars.', 'Only red ones.')).toBe(
    'Count the stars.\n\nTrigger payload:\nOnly red ones.',
  );
});
