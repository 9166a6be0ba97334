import { isToolChange, type KeptFingerprint } from '../../approvals/service.ts';
import type { CallStatus } from '../../conversations/service.ts';

/** A call that a model made and that has no outcome yet. */
export interface OpenCall {
  id: string;
  messageId: string;
  position: number;
  name: string;
  toolType: string;
  toolId: string | null;
  arguments: Record<string, unknown>;
  needsApproval: boolean;
  /** May run again when a crash cut it off. */
  repeatable: boolean;
  /** Why it cannot run at all. */
  fault: string | null;
  status: Extract<CallStatus, 'proposed' | 'started'>;
  /** What a person said about it; undefined while nobody was asked. */
  approval: CallApproval | undefined;
}

export interface CallApproval {
  id: string;
  status: 'pending' | 'approved' | 'approved_edited' | 'denied' | 'cancelled' | 'expired';
  editedArguments: Record<string, unknown> | null;
  /** What else was approved: the function as it was. */
  fingerprint: KeptFingerprint;
  reason: string | null;
  createdAt: Date;
  resolvedAt: Date | null;
  resolvedBy: string | null;
}

/** What happens with the open calls of a turn next. */
export type CallDecision =
  | { kind: 'close'; calls: { call: OpenCall; outcome: 'denied' | 'unknown'; told: string }[] }
  | { kind: 'run'; calls: OpenCall[] }
  | { kind: 'ask'; calls: OpenCall[] }
  | { kind: 'wait' };

/** Pure: what was approved runs, what was refused is closed, what needs a person's word is asked, in this order. */
export function decideCalls(calls: readonly OpenCall[]): CallDecision {
  const closing = calls.flatMap((call) => closingOf(call) ?? []);
  if (closing.length > 0) return { kind: 'close', calls: closing };
  const runnable = calls.filter(mayRun);
  if (runnable.length > 0) return { kind: 'run', calls: runnable };
  const unasked = calls.filter((call) => call.approval === undefined);
  return unasked.length > 0 ? { kind: 'ask', calls: unasked } : { kind: 'wait' };
}

function mayRun(call: OpenCall): boolean {
  if (!call.needsApproval) return true;
  return call.approval?.status === 'approved' || call.approval?.status === 'approved_edited';
}

/** What is told of a call that will not run; undefined when nothing speaks against it. */
export function closingOf(
  call: OpenCall,
): { call: OpenCall; outcome: 'denied' | 'unknown'; told: string } | undefined {
  if (call.status === 'started' && !call.repeatable) {
    const told =
      'It is not known whether this call was carried out: the service stopped while it ran. Do not assume either.';
    return { call, outcome: 'unknown', told };
  }
  switch (call.approval?.status) {
    case 'denied':
      return { call, outcome: 'denied', told: deniedBecause(call.approval.reason) };
    case 'expired':
      return { call, outcome: 'denied', told: expiredBecause(call.approval.reason) };
    case 'cancelled':
      return { call, outcome: 'denied', told: 'This call was withdrawn and not carried out.' };
    case 'pending':
    case 'approved':
    case 'approved_edited':
    case undefined:
      return undefined;
  }
}

function deniedBecause(reason: string | null): string {
  return `A person denied this call, so it was not carried out.${reason ? ` Their reason: ${reason}` : ''} Go on without it.`;
}

function expiredBecause(reason: string | null): string {
  if (isToolChange(reason)) return `${reason} So it did not run. You may propose it again.`;
  return 'Nobody approved this call in time, so it was not carried out.';
}

/** What runs is what was approved: a person's edits, or what the model proposed. */
export function argumentsToRun(call: OpenCall): Record<string, unknown> {
  return call.approval?.editedArguments ?? call.arguments;
}
