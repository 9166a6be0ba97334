import type { ConsoleCall } from '@svc/contract/console-conversation';
import type { CallRow } from '../../conversations/review/conversation-review.service.ts';

export function toWireCall(call: CallRow, durationMs: number | null): ConsoleCall {
  return {
    id: call.id,
    turn_id: call.turnId,
    name: call.name,
    tool_type: call.toolType,
    status: call.status,
    started_at: call.startedAt?.toISOString() ?? null,
    duration_ms: durationMs,
  };
}
