import { afterAll, describe, expect, it } from 'vitest';
import { checkJson, stopJsonChecks } from '../src/validation/json-schema/check-json.ts';
import { holdingOf } from './support/event-loop.ts';

afterAll(stopJsonChecks);

const tooMuch = [{ path: '', message: 'cannot be checked: the schema is too complicated for this value' }];
const evil = { pattern: '^(a+)+$' };
const endless = `${'a'.repeat(60)}!`;
const count = <Entry>(length: number, make: (index: number) => Entry) =>
  Array.from({ length }, (_, index) => make(index));

describe('patterns', () => {
  it('that would take for ever are given up, and hold up nobody', { timeout: 60_000 }, async () => {
    const order: string[] = [];
    const { heldMs } = await holdingOf(async () => {
      const bad = count(8, () =>
        checkJson(evil, endless, 'bad').then((faults) => (order.push('bad'), faults)),
      );
      const good = checkJson({ pattern: '^b+$' }, 'bbb', 'good').then(
        (faults) => (order.push('good'), faults),
      );
      expect(await good).toEqual([]);
      expect(await Promise.all(bad)).toEqual(count(8, () => tooMuch));
    });
    expect(heldMs).toBeLessThan(200);
    // The other workspace waits for one of them at most, however many there are.
    expect(order.indexOf('good')).toBeLessThanOrEqual(1);
  });

  it('mean what they mean in JavaScript', async () => {
    const email = { pattern: '^(?!.*\\.\\.)[a-z.]+@(?<host>[a-z]+)$' };
    expect(await checkJson(email, 'a.b@host', 'one')).toEqual([]);
    expect(await checkJson(email, 'a..b@host', 'one')).toHaveLength(1);
    expect(await checkJson({ patternProperties: { '^a': { type: 'number' } } }, { ab: 'x' }, 'one')).toEqual([
      { path: 'ab', message: 'must be a number' },
    ]);
  });

  it('that are none, or cannot be run, are a fault and no failure', async () => {
    for (const pattern of ['(', '('.repeat(30_000)]) {
      const [fault] = await checkJson({ pattern }, 'x', 'one');
      expect(fault?.message).toMatch(/^cannot be checked: its pattern \(+…? cannot be used$/);
    }
    expect(await checkJson({ pattern: '(((a?){1000}){1000}){1000}' }, 'x', 'one')).toHaveLength(1);
    expect(await checkJson({ pattern: 'x' }, 'x', 'one')).toEqual([]);
  });

  it('of which too many wait are not taken', { timeout: 120_000 }, async () => {
    const waiting = count(150, () => checkJson(evil, endless, 'crowd'));
    const refused = await Promise.race(waiting);
    expect(refused[0]?.message).toBe('cannot be checked now: too many other checks are waiting');
    expect(await checkJson({ pattern: 'x' }, 'x', 'somebody else')).toEqual([]);
    await stopJsonChecks();
    expect(await Promise.all(waiting)).toHaveLength(150);
    expect(await checkJson({ pattern: 'x' }, 'x', 'one')).toEqual([]);
  });
});
