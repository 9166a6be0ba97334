import type { Transaction } from '../database/database.ts';
import { AppError } from '../lib/app-error.ts';
import { formatUsd, type NanoUsd, parseUsd } from '../lib/money.ts';
import { type AccountRow, billingStore } from './billing.store.ts';
import { grant } from './credit-grant.ts';
import type { Quote } from './quote.ts';

export interface Standing {
  /** The earlier reservation that the new one replaces. */
  held?: NanoUsd;
  /** What was spent of it and is not settled yet: it stays reserved. */
  spent?: NanoUsd;
}

/** Sets money aside and returns the amount without `spent`. Throws INSUFFICIENT_BALANCE and changes nothing when there is too little. */
export async function reserve(
  tx: Transaction,
  workspaceId: string,
  creditUsd: string,
  quote: Quote,
  { held = 0n, spent = 0n }: Standing = {},
): Promise<NanoUsd> {
  const account = await billingStore.lock(tx, workspaceId);
  const granted = grant(availableOf(account, creditUsd) + held - spent, quote);
  if (granted === undefined) throw new AppError('INSUFFICIENT_BALANCE');
  const reserved = formatUsd(granted + spent - held);
  if (reserved !== '0') await billingStore.move(tx, workspaceId, { reserved, settled: '0' });
  return granted;
}

/** What is neither spent nor set aside. */
export function availableOf({ settledUsd, reservedUsd }: AccountRow, creditUsd: string): NanoUsd {
  return parseUsd(creditUsd) - parseUsd(settledUsd) - parseUsd(reservedUsd);
}
