import type { CallEndReason } from '@svc/contract/calls';
import type { Quote } from '../../billing/billing.service.ts';
import { telephoneCost, type VoicePrices } from '../../config/voice-prices.ts';
import { formatUsd, type NanoUsd, parseUsd } from '../../lib/money.ts';
import type { Services } from '../../services.ts';
import type { VoiceCallRow } from '../../voice-calls/records/call-records.service.ts';
import { type CallHoldDependencies, holdOf } from '../exchange/call-hold.ts';
import { firstLegOf, telephoneOf, usageOfCall } from '../exchange/cost-of-use.ts';
import type { EndCall } from '../exchange/end-call.ts';
import type { PassedOn, VoiceTransport } from '../transports/call-transport.ts';
import { type TransferRow, transferStore } from './transfers.store.ts';

export interface TransferDependencies
  extends CallHoldDependencies,
    Pick<Services, 'callRecords' | 'clock' | 'database' | 'log'> {
  billing: Services['billing'];
  endCall: EndCall;
  /** Undefined where calls are no longer set up. */
  network(): VoiceTransport['passedOn'];
}

export type Transfers = ReturnType<typeof createTransfers>;

const everySeconds = 10;
const batchSize = 50;

/**
 * Calls that continue after their bot has transferred the caller. They are rows that any node looks after, because the telephone network
 * connects them and they outlive the node that had their line.
 */
export function createTransfers(dependencies: TransferDependencies) {
  const { database, callRecords, billing, creditOf, prices, nodeId } = dependencies;
  const { endCall, network, clock, log } = dependencies;

  /** Charges what was used until now, and sets money aside for what comes; false if there is too little for that. */
  async function settle({ workspaceId, callId }: TransferRow, at: Date): Promise<boolean> {
    const creditUsd = await creditOf(workspaceId);
    return database.within(workspaceId).transaction(async (tx) => {
      const transfer = await transferStore.lock(tx, workspaceId, callId);
      if (!transfer) return true;
      const call = await callRecords.lock(tx, { workspaceId, id: callId });
      if (call?.endedAt) return true;
      const { used, total } = costOfTransfer(prices, transfer, at);
      const more = total - parseUsd(transfer.costUsd);
      const cost = { used, costUsd: formatUsd(total) };
      if (more > 0n) await transferStore.setCost(tx, workspaceId, callId, cost);
      if (more > 0n && call) await callRecords.setCost(tx, call, cost);
      if (creditUsd === null) return true;
      const next = { spent: more > 0n ? more : 0n, quote: quoteOfTransfer(prices, transfer, at) };
      return billing.renewHold(tx, workspaceId, creditUsd, holdOf(callId, nodeId), next);
    });
  }

  /** The two are no longer connected. Repeated calls do nothing. */
  async function end(transfer: TransferRow, reason: CallEndReason): Promise<void> {
    const { workspaceId, callId } = transfer;
    const at = clock.now();
    await settle(transfer, at);
    await endCall({ id: callId, workspaceId }, reason, undefined, at);
    await database.within(workspaceId).transaction(async (tx) => {
      const last = await transferStore.lock(tx, workspaceId, callId);
      if (!last || !(await transferStore.delete(tx, workspaceId, callId))) return;
      // The usage of a call is written with its end, unless its record was deleted.
      if (!(await callRecords.lock(tx, { workspaceId, id: callId })))
        await billing.count(
          tx,
          workspaceId,
          usageOfCall({ ...last, id: callId }, last.used, at.getTime() - last.answeredAt.getTime()),
        );
    });
  }

  async function hangUp(transfer: TransferRow, reason: CallEndReason): Promise<void> {
    await network()?.hangUp(transfer.networkId);
    await end(transfer, reason);
  }

  async function check(transfer: TransferRow): Promise<void> {
    const { workspaceId, callId, networkId, deadlineAt } = transfer;
    const at = clock.now();
    const isOver = await network()?.isOver(networkId).catch(unknown);
    if (isOver) return end(transfer, 'transferred');
    if (at > deadlineAt) {
      // The network ends calls by itself at their limit: this one cannot continue, whatever the answer.
      await network()?.hangUp(networkId).catch(unknown);
      return end(transfer, 'max_duration');
    }
    if (!(await settle(transfer, at))) return hangUp(transfer, 'insufficient_balance');
    // Its conversation was deleted.
    if (!(await callRecords.find(workspaceId, callId))) await hangUp(transfer, 'stopped');
  }

  function unknown(error: unknown): undefined {
    log.warn({ err: error }, 'The telephone network did not answer about a transferred call.');
  }

  return {
    /** The caller was passed on: the call continues without its line, until the network says that it is over. */
    async begin(call: VoiceCallRow, { networkId, to, at }: PassedOn): Promise<void> {
      const { id: callId, workspaceId, transport, direction, toNumber: firstNumber, deadlineAt } = call;
      const answeredAt = call.answeredAt ?? at;
      const fields = {
        callId,
        transport,
        direction,
        networkId,
        firstNumber,
        toNumber: to,
        answeredAt,
        deadlineAt,
      };
      const isOpen = await database.within(workspaceId).transaction(async (tx) => {
        const row = await callRecords.lock(tx, call);
        if (!row || row.endedAt) return false;
        const { used, costUsd } = row;
        await transferStore.insert(tx, workspaceId, { ...fields, transferredAt: at, used, costUsd });
        return true;
      });
      // It was ended or deleted meanwhile.
      if (!isOpen) return network()?.hangUp(networkId);
      const transfer = await transferStore.find(database.within(workspaceId), workspaceId, callId);
      // If there is too little money, the next check ends it.
      if (transfer) await settle(transfer, clock.now());
    },

    /** The network says that the call is over; false if it was not transferred. */
    async over({ id, workspaceId }: Pick<VoiceCallRow, 'id' | 'workspaceId'>): Promise<boolean> {
      const transfer = await transferStore.find(database.within(workspaceId), workspaceId, id);
      if (transfer) await end(transfer, 'transferred');
      return transfer !== undefined;
    },

    /** Ends a call that was transferred; false if it was not. */
    async hangUp(
      { id, workspaceId }: Pick<VoiceCallRow, 'id' | 'workspaceId'>,
      reason: CallEndReason,
    ): Promise<boolean> {
      const transfer = await transferStore.find(database.within(workspaceId), workspaceId, id);
      if (transfer) await hangUp(transfer, reason);
      return transfer !== undefined;
    },

    /** Periodically, on every node: charges what is due and ends what must end. */
    async sweep(): Promise<void> {
      const due = await transferStore.takeDueAcrossWorkspaces(
        database.acrossWorkspaces,
        everySeconds,
        batchSize,
      );
      await Promise.all(
        due.map((transfer) =>
          check(transfer).catch((error: unknown) => {
            log.error({ err: error, call_id: transfer.callId }, 'A transferred call could not be checked.');
          }),
        ),
      );
    },
  };
}

type PricedTransfer = Pick<
  TransferRow,
  'transport' | 'direction' | 'firstNumber' | 'toNumber' | 'answeredAt' | 'transferredAt' | 'used'
>;

/** Enough until the next check, even if a few checks are late. */
const leastSeconds = 20;
const usualSeconds = 40;

/** What a call has cost at a time: speech until it was transferred, and both connections until now. */
function costOfTransfer(
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
function quoteOfTransfer(prices: VoicePrices, transfer: PricedTransfer, at: Date): Quote {
  const now = costOfTransfer(prices, transfer, at).total;
  const next = (seconds: number) =>
    costOfTransfer(prices, transfer, new Date(at.getTime() + seconds * 1_000)).total - now;
  const usual = next(usualSeconds);
  return { least: next(leastSeconds), usual, most: usual };
}
