import { expect, it } from 'vitest';
import { describeDestinations, describeFreeNumbers, describePace } from './dial-texts.ts';

it('says where calls can go', () => {
  expect(describeDestinations({ destinations: [] })).toBe(
    'Calls can go to the country of the number that the bot calls from. They cannot go to premium-rate numbers, satellite phones, emergency numbers, and short codes.',
  );
  expect(describeDestinations({ destinations: ['AT', 'premium', '200'] })).toBe(
    'Calls can go to the country of the number that the bot calls from, and to Austria and the numbers 200. They cannot go to satellite phones, emergency numbers, and short codes.',
  );
  expect(describeDestinations({ destinations: ['all', 'AT'] })).toContain('every country.');
});

it('says how often, and which numbers are free', () => {
  const dialing = { destinations: [], calls_per_hour: 100, calls_per_day: 500 };
  expect(describePace(dialing)).toContain('100 calls an hour and 500 a day');
  expect(describePace({ ...dialing, calls_per_hour: null, calls_per_day: null })).toContain('as they like');
  expect(describeFreeNumbers(null)).toContain('your telephone account');
  expect(describeFreeNumbers([])).toContain('svc numbers assign');
  expect(describeFreeNumbers(['+12025550100'])).toContain('not in use: +12025550100.');
});
