/** Where a machine is connected. */
export interface MachineLocation {
  nodeId: string;
  connectionId: string;
  /** Of the daemon's stored state: only the same instance knows what was sent before. */
  instanceId: string;
  /** Connected to this node: frames arrive, or the connection closes. */
  isHere: boolean;
}

/** When and where an operation was sent last, by this node or by the one that ran its turn before. */
export interface Delivery {
  machineId: string;
  instanceId: string;
  /** Undefined if another node sent it, or if it is only recorded yet. */
  connectionId: string | undefined;
  at: number;
}

export interface Situation {
  machineId: string;
  hasEffects: boolean;
  /** False for a machine that is unknown or revoked. */
  isPaired: boolean;
  /** Undefined while the machine is not connected, or while it is not known where. */
  location: MachineLocation | undefined;
  sent: Delivery | undefined;
  now: number;
  /** Until it is sent: how long to wait for the machine. Afterwards: how long to wait for the outcome. */
  giveUpAt: number;
  /** It was cancelled because its time is over, and the machine has until `giveUpAt` to confirm that. */
  isOverdue: boolean;
  /** How long the machine has been offline; undefined while it is connected, or while that is not known. */
  offlineForMs: number | undefined;
  /** After this time offline, an operation that was sent is not waited for any more. */
  offlineMs: number;
  /** After this time an operation is sent to another node again. */
  resendMs: number;
}

export type Next =
  | { action: 'send' | 'wait' | 'cancel' }
  | { action: 'reject'; code: 'NOT_FOUND' | 'MACHINE_OFFLINE' }
  /** `give up`: the machine may report the outcome later. */
  | { action: 'report unknown' | 'give up'; message: string };

/** Decides what to do with an operation that has no result yet. Sending it again is harmless: the daemon knows its id. */
export function decideNext(situation: Situation): Next {
  const { location, sent, now, giveUpAt } = situation;
  if (sent && sent.machineId !== situation.machineId)
    return unknown('It was sent to another machine before, and its outcome there is not known.');
  if (!situation.isPaired)
    return sent
      ? unknown('The machine was revoked before it reported the outcome.')
      : { action: 'reject', code: 'NOT_FOUND' };
  if (location && !sent) return { action: 'send' };
  if (location && sent && situation.hasEffects && location.instanceId !== sent.instanceId)
    return unknown('The machine has lost its record of operations and cannot report the outcome.');
  if (sent && (situation.offlineForMs ?? 0) >= situation.offlineMs)
    return { action: 'give up', message: offlineMessage(situation.offlineMs) };
  if (now >= giveUpAt) {
    if (!sent) return { action: 'reject', code: 'MACHINE_OFFLINE' };
    return situation.isOverdue
      ? unknown('The machine did not report the outcome in time.')
      : { action: 'cancel' };
  }
  if (!location) return { action: 'wait' };
  const wasSentThere = sent?.connectionId === location.connectionId;
  const isDue = !wasSentThere || (!location.isHere && now - sent.at >= situation.resendMs);
  return { action: isDue ? 'send' : 'wait' };
}

function offlineMessage(milliseconds: number): string {
  return `The machine went offline and did not come back within ${milliseconds / 1000} seconds.`;
}

function unknown(message: string): Next {
  return { action: 'report unknown', message };
}
