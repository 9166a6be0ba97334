import { describe, expect, it } from 'vitest';
import {
  groupUsage,
  monthRange,
  moveMonth,
  readMonth,
  readRange,
  totalUsage,
  usageSeries,
} from './usage-data.ts';

const row = (day: string, bot: string | null, cost: string | null) => ({
  day,
  bot,
  turns: 1,
  input_tokens: 10,
  output_tokens: 5,
  call_seconds: 90,
  cost_usd: cost,
  unpriced_models: cost === null ? ['openai/new'] : [],
});
const rows = [row('2026-11-01', 'a', '0.5'), row('2026-11-02', 'a', null), row('2026-11-02', null, '2')];

describe('usage', () => {
  it('is grouped, and says where a price is missing', () => {
    const groups = groupUsage(rows, 'bot');
    expect(groups.map(({ id, cost, unpriced }) => [id, cost, unpriced])).toEqual([
      [null, 2, []],
      ['a', 0.5, ['openai/new']],
    ]);
    expect(totalUsage(groups)).toMatchObject({
      turns: 3,
      inputTokens: 30,
      cost: 2.5,
      unpriced: ['openai/new'],
    });
    expect(totalUsage(groups).callSeconds).toBe(270);
  });

  it('has a value for every day', () => {
    const days = ['2026-11-01', '2026-11-02', '2026-11-03'];
    const nameOf = (id: string | null) => id ?? 'Other';
    expect(usageSeries(rows, { by: 'bot', days, show: 'cost', nameOf })).toEqual([
      { id: 'a', name: 'a', values: [0.5, 0, 0] },
      { id: 'none', name: 'Other', values: [0, 2, 0] },
    ]);
  });

  it('of other days is shown if they are days, and not too many', () => {
    const range = { from: '2026-01-05', to: '2026-03-01' };
    expect(readRange(range)).toEqual(range);
    for (const wrong of [{ from: '0001-01-01' }, { from: '2026-13-01' }, { to: '2026-01-04' }, { to: 'x' }])
      expect(readRange({ ...range, ...wrong })).toBeUndefined();
    expect(readRange({ from: '2026-01-05' })).toBeUndefined();
  });

  it('of a month ends today at the latest', () => {
    expect(monthRange('2026-11', '2026-11-16')).toEqual({ from: '2026-11-01', to: '2026-11-16' });
    expect(monthRange('2026-02', '2026-11-16')).toEqual({ from: '2026-02-01', to: '2026-02-28' });
    expect(moveMonth('2026-01', -1)).toBe('2025-12');
    expect(readMonth('2026-02', '2026-11-16')).toBe('2026-02');
    for (const text of ['2026-99', '2027-01', 'x', undefined])
      expect(readMonth(text, '2026-11-16')).toBe('2026-11');
  });
});
