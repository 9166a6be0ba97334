import type { Transaction } from '../database/database.ts';
import { formatUsd, type NanoUsd, parseUsd } from '../lib/money.ts';
import { billingStore } from './billing.store.ts';
import { grant } from './credit-grant.ts';
import type { Quote } from './quote.ts';
import { availableOf } from './reserve.ts';

/** Money for something that lasts a while, such as a call. */
export interface Hold {
  id: string;
  /** The node that renews it. */
  nodeId: string;
  /** It is given back if it is not renewed for so long. */
  lastsSeconds: number;
}

/**
 * Takes what was spent and sets money aside for what comes next. False if there is too little for that: what there is stays
 * set aside, since ending costs something too.
 */
export async function renewHold(
  tx: Transaction,
  workspaceId: string,
  creditUsd: string,
  { id, nodeId, lastsSeconds }: Hold,
  { spent, quote }: { spent: NanoUsd; quote: Quote },
): Promise<boolean> {
  // Before the account is locked, in the order of those who give reservations back.
  const held = parseUsd(await billingStore.removeReservation(tx, workspaceId, id));
  const account = await billingStore.lock(tx, workspaceId);
  const available = availableOf(account, creditUsd) + held - spent;
  const granted = grant(available, quote);
  const kept = granted ?? (available > 0n ? available : 0n);
  const moved = { reserved: formatUsd(kept - held), settled: formatUsd(spent) };
  await billingStore.move(tx, workspaceId, moved);
  if (kept > 0n) {
    const reservation = { id, nodeId, amountUsd: formatUsd(kept) };
    await billingStore.insertReservation(tx, workspaceId, reservation, lastsSeconds);
  }
  const isSpent = parseUsd(account.settledUsd) + spent >= parseUsd(creditUsd);
  return granted !== undefined && !isSpent;
}

/** Harmless if there is none. */
export async function releaseHold(tx: Transaction, workspaceId: string, id: string): Promise<void> {
  const held = parseUsd(await billingStore.removeReservation(tx, workspaceId, id));
  if (held > 0n) await billingStore.move(tx, workspaceId, { reserved: formatUsd(-held), settled: '0' });
}
