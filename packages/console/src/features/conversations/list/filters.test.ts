import { expect, it } from 'vitest';
import { filtersIn, isListed, splitAt, timeOfId, toFilter } from './filters.ts';

const row = {
  id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e93',
  bot_id: 'a',
  channel: 'chat',
  external_user_id: 'ada',
  status: 'idle',
  needs_human: null,
  created_at: '2026-11-15T09:30:00.000Z',
} as unknown as Parameters<typeof isListed>[0];

it('takes only filters from the address', () => {
  expect(filtersIn({ q: 'parcel', bot: '', panel: 'trace', handoff: '1' })).toEqual({
    q: 'parcel',
    handoff: '1',
  });
});

it('covers whole days, the last one included', () => {
  const { from, to } = toFilter({ from: '2026-11-01', to: '2026-11-01' }, 'me');
  expect(new Date(to ?? '').getTime() - new Date(from ?? '').getTime()).toBe(86_400_000);
  expect(toFilter({ from: 'yesterday' }, '').from).toBeUndefined();
});

it('takes a moment exactly, wherever the person is', () => {
  expect(toFilter({ from: '2026-11-01T00:00:00.000Z' }, '').from).toBe('2026-11-01T00:00:00.000Z');
});

it('knows which changed conversations belong to a list', () => {
  expect(isListed(row, {})).toBe(true);
  expect(isListed(row, { bot_id: 'a', channel: 'chat', status: 'idle' })).toBe(true);
  expect(isListed({ ...row, latest_turn_status: 'failed' }, { status: 'failed' })).toBe(true);
  expect(isListed(row, { status: 'failed' })).toBe(false);
  expect(isListed(row, { bot_id: 'b' })).toBe(false);
  expect(isListed(row, { waits: true })).toBe(false);
  expect(isListed(row, { q: 'parcel' })).toBe(false);
  expect(isListed({ ...row, channel: 'evaluation' }, {})).toBe(false);
});

it('reads the time of an id', () => {
  expect(timeOfId(row.id).getTime()).toBe(0x0198c2a47d10);
});

it('finds the searched text in an excerpt', () => {
  expect(splitAt('Within Two Weeks.', '"two weeks"')).toEqual(['Within ', 'Two Weeks', '.']);
  expect(splitAt('Nothing', 'parcel')).toEqual(['Nothing', '', '']);
});
