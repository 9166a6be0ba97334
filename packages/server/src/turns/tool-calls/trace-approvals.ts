import { newId } from '../../lib/new-id.ts';
import type { TraceEntry } from '../write/step-changes.ts';
import type { OpenToolCall, ToolCallApproval } from './tool-call.ts';

/** One step for each call that needed approval: the request, the answer and how long it took. */
export function traceApprovals(calls: readonly OpenToolCall[], now: Date): TraceEntry[] {
  return calls.flatMap((call) => (call.approval ? [traceOf(call, call.approval, now)] : []));
}

function traceOf(call: OpenToolCall, approval: ToolCallApproval, now: Date): TraceEntry {
  const { status, reason, createdAt, resolvedAt, resolvedBy, editedArguments } = approval;
  return {
    id: newId(),
    type: 'approval',
    name: call.name,
    status: 'ok',
    startedAt: createdAt,
    durationMs: Math.max(0, (resolvedAt ?? now).getTime() - createdAt.getTime()),
    input: { tool_call_id: call.id, arguments: call.arguments },
    output: {
      status,
      resolved_by: resolvedBy,
      ...(reason !== null && { reason }),
      ...(editedArguments && { edited_arguments: editedArguments }),
    },
    usage: null,
    error: null,
  };
}
