import { expect, it } from 'vitest';
import { searchOf, viewFilterOf } from './saved-views.ts';

const search = {
  q: '"parcel"',
  bot: 'b',
  channel: 'widget',
  user: 'ann',
  status: 'failed',
  handoff: '1',
  assignee: 'me',
  inbox: 'open',
  label: 'vip',
  rating: 'down',
};

it('a view has every filter of the address, and leads back to it', () => {
  const filter = viewFilterOf(search);
  expect(filter).toMatchObject({ needs_human: true, state: 'open', assignee: 'me' });
  expect(searchOf({ filter: filter ?? {} })).toEqual(search);
});

it('nothing and days are not saved', () => {
  expect(viewFilterOf({})).toBeUndefined();
  expect(viewFilterOf({ label: 'vip', from: '2026-11-15' })).toBeUndefined();
});
