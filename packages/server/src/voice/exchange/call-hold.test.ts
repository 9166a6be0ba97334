import { expect, it } from 'vitest';
import { parseUsd } from '../../lib/money.ts';
import { quoteOfNext, quoteOfStart } from './call-hold.ts';

const prices = {
  speaking: { loud: 0.06 },
  listening: { good: 0.006 },
  telephone: { twilio: { inbound: 0.01, outbound: 0.02 } },
};
const call = { transport: 'twilio', direction: 'outbound', toNumber: null } as const;
const speech = { listener: 'good', speaker: 'loud' };

it('begins with a minute of telephone, listening and a bot that talks', () => {
  const minute = parseUsd('0.074');
  expect(quoteOfStart(prices, call, speech)).toEqual({ least: minute, usual: minute, most: minute });
});

it('continues with what is used until the next renewals, and the minutes that begin meanwhile', () => {
  const speaking = (characters: number) => (characters * 60_000_000) / 1_000;
  const [ten, thirty] = [134, 400].map((characters) => BigInt(speaking(characters)));
  const telephone = parseUsd('0.02');
  const inside = quoteOfNext(prices, call, speech, { milliseconds: 20_000, characters: 0 });
  expect(inside.least).toBe((ten ?? 0n) + parseUsd('0.001'));
  expect(inside.usual).toBe((thirty ?? 0n) + parseUsd('0.003'));
  const near = quoteOfNext(prices, call, speech, { milliseconds: 40_000, characters: 0 });
  expect(near.least).toBe(inside.least);
  expect(near.usual).toBe(inside.usual + telephone);
  const over = quoteOfNext(prices, call, speech, { milliseconds: 55_000, characters: 0 });
  expect(over.least).toBe(inside.least + telephone);
  expect(over.most).toBe(over.usual);
});

it('is nothing where nothing is paid for', () => {
  const free = quoteOfNext(
    prices,
    { transport: 'sip', direction: 'inbound', toNumber: null },
    { listener: '', speaker: '' },
    {
      milliseconds: 1,
      characters: 1,
    },
  );
  expect(free).toEqual({ least: 0n, usual: 0n, most: 0n });
});
