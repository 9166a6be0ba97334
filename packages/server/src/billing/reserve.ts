import { AppError } from '../app-error.ts';
import type { Transaction } from '../database/database.ts';
import { formatUsd, type NanoUsd, parseUsd } from '../money.ts';
import { grant } from './grant.ts';
import type { Quote } from './quote.ts';
import { type AccountRow, billingStore } from './store.ts';

export interface Standing {
  /** What is set aside for the same thing already, and is exchanged for the new amount. */
  held?: NanoUsd;
  /** What was used of it and is not settled yet: set aside besides. */
  spent?: NanoUsd;
}

/** Sets money aside and says how much it is, without what was spent; or throws INSUFFICIENT_BALANCE and changes nothing. */
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
