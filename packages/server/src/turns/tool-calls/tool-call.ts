import { type ExpiryReason, isToolChange, type KeptFingerprint } from '../../approvals/approvals.service.ts';
import type { ToolCallStatus } from '../../conversations/conversations.service.ts';

/** A call by a model that has no outcome yet. */
export interface OpenToolCall {
  id: string;
  messageId: string;
  position: number;
  name: string;
  toolType: string;
  toolId: string | null;
  arguments: Record<string, unknown>;
  needsApproval: boolean;
  /** May run again after a crash. */
  repeatable: boolean;
  /** Runs only when the earlier ones of its reply that are in order too have ended. */
  inOrder: boolean;
  /** May change something outside. */
  hasEffects: boolean;
  /** Why it cannot run at all. */
  fault: string | null;
  status: Extract<ToolCallStatus, 'proposed' | 'started'>;
  /** Undefined until approval was requested. */
  approval: ToolCallApproval | undefined;
}

export interface ToolCallApproval {
  id: string;
  status: 'pending' | 'approved' | 'approved_edited' | 'denied' | 'cancelled' | 'expired';
  editedArguments: Record<string, unknown> | null;
  /** The function as it was approved. */
  fingerprint: KeptFingerprint;
  /** What the decision was based on, for the function when it runs. */
  basis: Record<string, unknown> | null;
  reason: string | null;
  createdAt: Date;
  resolvedAt: Date | null;
  resolvedBy: string | null;
}

/** A call that will not run, or not again, and what the model is told. */
export interface ToolCallClosing {
  call: OpenToolCall;
  outcome: 'denied' | 'unknown';
  content: string;
}

/** What happens next to the open calls of a turn. */
export type ToolCallDecision =
  | { kind: 'close'; calls: ToolCallClosing[] }
  | { kind: 'run'; calls: OpenToolCall[] }
  | { kind: 'ask'; calls: OpenToolCall[] }
  | { kind: 'wait' };

/**
 * Pure: closes calls that will not run, then runs those that may, then requests approval for the others. The calls are in the
 * order of the reply.
 */
export function decideToolCalls(calls: readonly OpenToolCall[]): ToolCallDecision {
  const closing = calls.flatMap((call) => closingOf(call) ?? []);
  if (closing.length > 0) return { kind: 'close', calls: closing };
  // A test must see the edit before it, even if that edit is not approved yet.
  const firstInOrder = calls.find(({ inOrder }) => inOrder);
  const runnable = calls.filter((call) => mayRun(call) && (!call.inOrder || call === firstInOrder));
  if (runnable.length > 0) return { kind: 'run', calls: runnable };
  const unasked = calls.filter((call) => call.needsApproval && call.approval === undefined);
  return unasked.length > 0 ? { kind: 'ask', calls: unasked } : { kind: 'wait' };
}

function mayRun(call: OpenToolCall): boolean {
  // A call that needed none when it was proposed may have been asked about since.
  if (!call.approval) return !call.needsApproval;
  return call.approval.status === 'approved' || call.approval.status === 'approved_edited';
}

const unknown =
  'It is not known whether this call was carried out: the service stopped while it ran. Do not assume either.';

/** Why a call will not run, as the model reads it; undefined if it may. */
function closingOf(call: OpenToolCall): ToolCallClosing | undefined {
  if (call.status === 'started' && !call.repeatable) return { call, outcome: 'unknown', content: unknown };
  switch (call.approval?.status) {
    case 'denied':
      return { call, outcome: 'denied', content: deniedBecause(call.approval.reason) };
    case 'expired':
      return { call, outcome: 'denied', content: expiredBecause(call.approval.reason) };
    case 'cancelled':
      return { call, outcome: 'denied', content: 'This call was withdrawn and not carried out.' };
    case 'pending':
    case 'approved':
    case 'approved_edited':
    case undefined:
      return undefined;
  }
}

/** Closes a call whose tool has changed since it was approved or started. One that was started may have run, so it is not denied. */
export function revokedClosing(call: OpenToolCall, reason: ExpiryReason): ToolCallClosing {
  if (call.status === 'started') return { call, outcome: 'unknown', content: `${unknown} ${reason}` };
  return { call, outcome: 'denied', content: expiredBecause(reason) };
}

/** Closes a call that a crash interrupted and whose tool can no longer be asked for the outcome. */
export function lostClosing(call: OpenToolCall): ToolCallClosing {
  const content = `${unknown} The tool ${call.name} is not available now.`;
  return { call, outcome: 'unknown', content };
}

function deniedBecause(reason: string | null): string {
  return `A person denied this call, so it was not carried out.${reason ? ` Their reason: ${reason}` : ''} Continue without it.`;
}

function expiredBecause(reason: string | null): string {
  if (isToolChange(reason)) return `${reason} So it did not run. You may propose it again.`;
  return 'Nobody approved this call in time, so it was not carried out.';
}

/** A person's edits, or what the model proposed. */
export function argumentsToRun(call: OpenToolCall): Record<string, unknown> {
  return call.approval?.editedArguments ?? call.arguments;
}
