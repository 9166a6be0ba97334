import { describe, expect, it } from 'vitest';
import { diff } from './audit-changes.ts';

describe('the changes of an object', () => {
  it('are the fields that differ, whatever the order of keys', () => {
    expect(
      diff({ a: 1, b: { x: 1, y: 2 }, c: 'old' }, { a: 1, b: { y: 2, x: 1 }, c: 'new', d: true }),
    ).toEqual([
      { field: 'c', before: 'old', after: 'new' },
      { field: 'd', before: null, after: true },
    ]);
    expect(diff(undefined, { a: 1, b: null })).toEqual([{ field: 'a', before: null, after: 1 }]);
    expect(diff({ a: 1 }, undefined)).toEqual([{ field: 'a', before: 1, after: null }]);
  });

  it('are cut around the first difference if they are long', () => {
    const same = 'x'.repeat(5_000);
    const [change] = diff({ prompt: `${same}old` }, { prompt: `${same}new` });
    expect(change?.before).toBe(`…${'x'.repeat(80)}old (5003 characters)`);
    expect(change?.after).toBe(`…${'x'.repeat(80)}new (5003 characters)`);
    const [grown] = diff({ prompt: 'short' }, { prompt: `short${'y'.repeat(5_000)}` });
    expect(grown?.before).toBe('short');
    expect(String(grown?.after)).toMatch(/^shorty{795}… \(5005 characters\)$/);
  });

  it('never contain half of a character, and are not too many', () => {
    const [change] = diff({}, { text: '😀'.repeat(5_000) });
    expect(String(change?.after).isWellFormed()).toBe(true);
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`field ${index}`, index]));
    expect(diff({}, many)).toHaveLength(60);
  });
});
