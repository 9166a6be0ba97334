import { expect, it } from 'vitest';
import { formatUsd } from '../lib/money.ts';
import {
  listeningCost,
  listPrices,
  parseVoicePrices,
  speakingCost,
  telephoneCost,
  withOverrides,
} from './voice-prices.ts';

it('counts characters, milliseconds and minutes that have begun', () => {
  expect(formatUsd(speakingCost(listPrices, 'elevenlabs', 1_000))).toBe('0.05');
  expect(formatUsd(speakingCost(listPrices, 'elevenlabs', 1))).toBe('0.00005');
  expect(formatUsd(listeningCost(listPrices, 'deepgram', 60_000))).toBe('0.0092');
  // Rounded up.
  expect(formatUsd(listeningCost(listPrices, 'deepgram', 1))).toBe('0.000000154');
  const outbound = { transport: 'twilio', direction: 'outbound', to: '+12025550123' } as const;
  expect(formatUsd(telephoneCost(listPrices, outbound, 60_001))).toBe('0.036');
  expect(telephoneCost(listPrices, outbound, 0)).toBe(0n);
  expect(telephoneCost(listPrices, { transport: 'sip', direction: 'inbound', to: null }, 90_000)).toBe(0n);
  expect(speakingCost(listPrices, 'local', 9_000) + listeningCost(listPrices, 'local', 9_000)).toBe(0n);
});

it('takes the prices of the operator in place of its own', () => {
  const own = parseVoicePrices(
    '{"speaking":{"elevenlabs":0.1},"telephone":{"sip":{"inbound":0.001,"outbound":0.01}}}',
  );
  const prices = withOverrides(own ?? {});
  expect(formatUsd(speakingCost(prices, 'elevenlabs', 10))).toBe('0.001');
  expect(formatUsd(speakingCost(prices, 'cartesia', 10))).toBe('0.0005');
  const outbound = { transport: 'sip', direction: 'outbound', to: null } as const;
  expect(formatUsd(telephoneCost(prices, outbound, 1))).toBe('0.01');
  expect(parseVoicePrices('{}')).toEqual({});
});

it('takes the price of the longest prefix that fits the dialed number', () => {
  const own = parseVoicePrices(
    '{"telephone":{"sip":{"inbound":0.5,"outbound":0.01,"prefixes":{"+49":0.02,"4915":0.2,"+491":0.1,"800":0}}}}',
  );
  const prices = withOverrides(own ?? {});
  const cost = (to: string, direction: 'inbound' | 'outbound' = 'outbound') =>
    formatUsd(telephoneCost(prices, { transport: 'sip', direction, to }, 1));
  expect(['+4930123', '4915123', '+4915123', '+49171', '+331', '+800123'].map((to) => cost(to))).toEqual([
    '0.02',
    '0.2',
    '0.2',
    '0.1',
    '0.01',
    '0',
  ]);
  expect(cost('+4930123', 'inbound')).toBe('0.5');
});

it.each([
  '{"telephone":{"sip":{"inbound":1,"outbound":1,"prefixes":{"x":1}}}}',
  '{"telephone":{"sip":{"inbound":1,"outbound":1,"prefixes":{"+49":"1"}}}}',
  'cheap',
  '[]',
  'null',
  '{"speaking":1}',
  '{"speaking":{"elevenlabs":-1}}',
  '{"talking":{}}',
  '{"telephone":{"sip":{"inbound":1}}}',
])('does not take %s', (text) => {
  expect(parseVoicePrices(text)).toBeUndefined();
});
