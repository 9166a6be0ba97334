import type { Quote } from '../../billing/billing.service.ts';
import { telephoneCost, type VoicePrices } from '../../config/voice-prices.ts';
import { formatUsd, type NanoUsd, parseUsd } from '../../lib/money.ts';
import { firstLegOf, telephoneOf } from '../exchange/cost-of-use.ts';
import type { TransferRow } from './transfers.store.ts';

export type PricedTransfer = Pick<
  TransferRow,
  'transport' | 'direction' | 'firstNumber' | 'toNumber' | 'answeredAt' | 'transferredAt' | 'used'
>;

/** Enough until the next check, even if a few checks are late. */
const leastSeconds = 20;
const usualSeconds = 40;

/** What a call has cost at a time: speech until it was transferred, and both connections until now. */
export function costOfTransfer(
  prices: VoicePrices,
  transfer: PricedTransfer,
  at: Date,
): { used: Record<string, string>; total: NanoUsd } {
  const { transport, direction, firstNumber, toNumber, answeredAt, transferredAt } = transfer;
  const since = (from: Date) => Math.max(at.getTime() - from.getTime(), 0);
  const first = firstLegOf({ transport, direction, toNumber: firstNumber });
  const second = { transport, direction: 'outbound', to: toNumber } as const;
  const telephone =
    telephoneCost(prices, first, since(answeredAt)) + telephoneCost(prices, second, since(transferredAt));
  const used = { ...transfer.used, ...(telephone > 0n && { [telephoneOf(transfer)]: formatUsd(telephone) }) };
  return { used, total: Object.values(used).reduce((sum, usd) => sum + parseUsd(usd), 0n) };
}

/** What comes next. */
export function quoteOfTransfer(prices: VoicePrices, transfer: PricedTransfer, at: Date): Quote {
  const now = costOfTransfer(prices, transfer, at).total;
  const next = (seconds: number) =>
    costOfTransfer(prices, transfer, new Date(at.getTime() + seconds * 1_000)).total - now;
  const usual = next(usualSeconds);
  return { least: next(leastSeconds), usual, most: usual };
}
