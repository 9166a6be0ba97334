import { expect, it } from 'vitest';
import { clockDuration, isOpen, otherSideOf, outcomeOf, ownSideOf } from './call-texts.ts';

const numbers = { from_number: '+15550100', to_number: '+15550199' };

it('says who talks with the bot, and on which number', () => {
  expect(otherSideOf({ direction: 'inbound', ...numbers })).toBe('From +15550100');
  expect(ownSideOf({ direction: 'inbound', ...numbers })).toBe('on +15550199');
  expect(otherSideOf({ direction: 'outbound', ...numbers })).toBe('To +15550199');
  expect(ownSideOf({ direction: 'outbound', ...numbers })).toBe('from +15550100');
  const web = { direction: 'web', from_number: null, to_number: null } as const;
  expect([otherSideOf(web), ownSideOf(web)]).toEqual(['From the website', undefined]);
  expect(otherSideOf({ ...web, direction: 'inbound' })).toBe('From a hidden number');
});

it('says what a call is doing, and why it ended', () => {
  const call = { direction: 'outbound', status: 'in_progress', end_reason: null } as const;
  expect([isOpen(call), outcomeOf(call)]).toEqual([true, { state: 'running', text: 'On the phone' }]);
  const ended = { ...call, status: 'completed', end_reason: 'caller_hung_up' } as const;
  expect([isOpen(ended), outcomeOf(ended).text]).toEqual([false, 'The other side hung up']);
  expect(outcomeOf({ ...ended, direction: 'inbound' }).text).toBe('The caller hung up');
  expect(outcomeOf({ ...ended, status: 'new' as never, end_reason: 'moved' as never })).toEqual({
    state: 'unknown',
    text: 'moved',
  });
});

it('writes durations as clocks do', () => {
  expect([0, 7, 750, 3723].map(clockDuration)).toEqual(['0:00', '0:07', '12:30', '1:02:03']);
});
