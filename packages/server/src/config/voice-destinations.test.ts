import { expect, it } from 'vitest';
import { dialedForm, parseDestinations, refusalOf } from './voice-destinations.ts';

const us = '+12025550100';
const de = '+4930123456';

it.each([
  ['+12025550123', us, []],
  ['12025550123', us, []],
  ['+4915123456789', de, []],
  ['+493012345', '493012346', []],
  ['+436641234567', de, ['AT']],
  ['+436641234567', de, ['all']],
  ['+499001123456', de, ['premium']],
  ['+448431234567', us, ['premium', 'GB']],
  ['+448431234567', us, ['premium', 'all']],
  ['+979123456789', us, ['premium', 'satellite']],
  ['+979123456789', us, ['979123456789']],
  ['+881612345678', de, ['satellite']],
  ['+61147123456', '+61291234567', ['satellite']],
  ['+79541234567', de, ['satellite', 'RU']],
  ['200', de, ['200']],
])('%s can be called from %s with %j', (to, from, allowed) => {
  expect(refusalOf(to, from, allowed)).toBeUndefined();
});

it.each([
  ['another country', '+436641234567', de, [], 'Austria'],
  ['another country with the same code', '+18095550123', us, [], 'Dominican'],
  ['an island with the code of its neighbour', '+441534123456', '+442079460000', [], 'Jersey'],
  ['a country when ours is not known', '+4930123456', '100', [], 'Germany'],
  ['premium numbers', '+19005550123', us, [], 'premium'],
  ['premium numbers wherever all countries are allowed', '+499001123456', de, ['all', 'DE'], 'premium'],
  ['shared-cost numbers', '+491801123456', de, [], 'premium'],
  ['personal numbers', '+447012345678', '+442079460000', [], 'premium'],
  ['worldwide premium numbers', '+979123456789', us, ['all', 'satellite'], 'premium'],
  ['premium numbers of other countries', '+448431234567', us, ['premium'], 'United Kingdom'],
  [
    'worldwide premium numbers where only those of the country are allowed',
    '+979123456789',
    us,
    ['premium'],
    'worldwide',
  ],
  ['a word of the list', 'all', us, ['all'], 'not a complete'],
  ['a word of the list', 'premium', us, ['premium'], 'not a complete'],
  ['a country of the list', 'DE', us, ['DE'], 'not a complete'],
  ['satellite phones', '+881612345678', us, ['all', 'premium'], 'satellite'],
  ['satellite phones of Inmarsat', '+870773111632', us, ['all'], 'satellite'],
  ['satellite phones of Australia in Australia', '+61147123456', '+61291234567', ['all'], 'satellite'],
  ['satellite phones of Australia in Australia', '+61145101234', '+61291234567', ['AU'], 'satellite'],
  ['satellite phones of Russia in Russia', '+79541234567', '+74951234567', ['premium'], 'satellite'],
  ['satellite phones of Canada in Canada', '+16002345678', '+14165550123', [], 'satellite'],
  ['satellite phones of Indonesia in Indonesia', '+62868123456', '+622112345678', [], 'satellite'],
  ['satellite phones of China in China', '+8613491234567', '+861012345678', [], 'satellite'],
  ['satellite phones of China in China', '+8617401234567', '+861012345678', ['all'], 'satellite'],
  ['satellite phones of other countries', '+79541234567', de, ['satellite'], 'Russia'],
  // Networks ignore what is too much, and a zero.
  ['a premium number with a digit too many', '+4990011234567', de, ['all'], 'not a complete'],
  ['a premium number behind a zero', '+4909001123456', de, ['all'], 'not a complete'],
  ['emergency numbers', '911', us, ['all'], 'emergency'],
  ['emergency numbers', '112', de, ['all'], 'emergency'],
  ['emergency numbers behind a country code', '+49110', de, ['all'], 'emergency'],
  ['short codes', '22456', us, ['all'], 'short'],
  ['numbers that nobody can have', '+99912345678', us, ['all'], 'not a complete'],
])('refuses %s: %s', (_what, to, from, allowed, why) => {
  expect(refusalOf(to, from, allowed)).toContain(why);
});

it('dials what was checked', () => {
  expect(dialedForm('12025550123', ['GB'])).toBe('+12025550123');
  expect(dialedForm('+12025550123', [])).toBe('+12025550123');
  expect(dialedForm('200', ['200'])).toBe('200');
});

it('reads what an operator allows', () => {
  expect(parseDestinations(' at, CH,Premium,200 ')).toEqual(['AT', 'CH', 'premium', '200']);
  expect(parseDestinations('')).toEqual([]);
  for (const wrong of ['Austria', 'XX', 'AT;CH', '+43', 'AT,']) {
    expect(parseDestinations(wrong), wrong).toEqual(wrong === 'AT,' ? ['AT'] : undefined);
  }
});
