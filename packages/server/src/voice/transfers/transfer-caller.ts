import { telephoneCost } from '../../config/voice-prices.ts';
import { AppError } from '../../lib/app-error.ts';
import { newId } from '../../lib/new-id.ts';
import type { Services } from '../../services.ts';
import type { TransferOutcome } from '../../tools/tools.service.ts';
import type { VoiceCallRow } from '../../voice-calls/records/call-records.service.ts';
import { type CallHoldDependencies, holdOf } from '../exchange/call-hold.ts';
import type { Line } from '../transports/call-transport.ts';

export interface TransferCallerDependencies
  extends CallHoldDependencies,
    Pick<Services, 'database' | 'dialing' | 'workspaces'> {}

export interface CallerToTransfer {
  row: VoiceCallRow;
  line: Pick<Line, 'reportsTransfers'>;
  /** As the bot's settings have it. */
  number: string | null | undefined;
  /** Whether the caller was passed on. */
  transfer(to: string): Promise<boolean>;
}

const minuteMs = 60_000;

/** Passes a caller on, if the workspace may dial the number and can pay for it. */
export async function transferCaller(
  dependencies: TransferCallerDependencies,
  { row, line, number, transfer }: CallerToTransfer,
): Promise<TransferOutcome> {
  const { database, billing, dialing, creditOf, workspaces, prices, nodeId } = dependencies;
  const { workspaceId, transport } = row;
  if (!number) return 'no number';
  const own = row.direction === 'outbound' ? row.fromNumber : row.toNumber;
  if (own === null) return 'failed';
  const checked = await dialing.check(workspaceId, own, number.replaceAll(/[\s()./-]/g, ''));
  if (checked.refusal !== undefined) return { refused: `The number to transfer calls to ${checked.refusal}` };
  const to = checked.dialed;
  const creditUsd = await creditOf(workspaceId);
  if (creditUsd !== null && !line.reportsTransfers) {
    return {
      refused:
        "The telephone connection does not tell when a transferred call ends, and the workspace's balance is limited.",
    };
  }
  const hold = newId();
  const first = telephoneCost(prices, { transport, direction: 'outbound', to }, minuteMs);

  /** The money for the first minute, until the call itself sets it aside. */
  async function reserve(): Promise<boolean> {
    return database.within(workspaceId).transaction(async (tx) => {
      const { limits } = await workspaces.lockPlan(tx, workspaceId);
      await dialing.requireNext(tx, workspaceId, limits);
      if (creditUsd !== null) {
        const wanted = { spent: 0n, quote: { least: first, usual: first, most: first } };
        const isCovered = await billing.renewHold(tx, workspaceId, creditUsd, holdOf(hold, nodeId), wanted);
        if (!isCovered) await billing.releaseHold(tx, workspaceId, hold);
        if (!isCovered) return false;
      }
      await dialing.count(tx, workspaceId);
      return true;
    });
  }

  try {
    if (!(await reserve())) return { refused: 'The balance of the workspace is too low for a transfer.' };
  } catch (error) {
    if (error instanceof AppError && error.code === 'RATE_LIMITED') return { refused: error.message };
    throw error;
  }
  try {
    return (await transfer(to)) ? 'transferred' : 'failed';
  } finally {
    if (creditUsd !== null)
      await database.within(workspaceId).transaction((tx) => billing.releaseHold(tx, workspaceId, hold));
  }
}
