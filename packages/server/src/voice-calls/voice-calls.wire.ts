import type { Call, CallDetail, CallHookOutcome, CallTurn } from '@svc/contract/calls';
import { type KnownCost, wireCost } from '../billing/billing.service.ts';
import type { RecordingMark } from './recordings/call-recordings.service.ts';
import type { VoiceCallHook, VoiceCallRow, VoiceCallTurn } from './voice-calls.store.ts';

export function toWireCall(
  row: VoiceCallRow,
  { cost, recordingMs, now }: { cost: KnownCost; recordingMs: number | undefined; now: Date },
): Call {
  return {
    call_id: row.id,
    direction: row.direction,
    from_number: row.fromNumber,
    to_number: row.toNumber,
    status: row.status,
    answered_at: row.answeredAt?.toISOString() ?? null,
    ended_at: row.endedAt?.toISOString() ?? null,
    duration_seconds: durationSeconds(row, now),
    end_reason: row.endReason,
    end_detail: row.endDetail,
    ...wireCost(cost),
    recording_ms: recordingMs ?? null,
    // Empty after a truncation.
    summary: row.summary || null,
  };
}

/** Since it was answered, until it ended or now. */
function durationSeconds({ answeredAt, endedAt }: VoiceCallRow, now: Date): number {
  if (!answeredAt) return 0;
  return Math.max(0, Math.round(((endedAt ?? now).getTime() - answeredAt.getTime()) / 1_000));
}

export function toWireMark(mark: RecordingMark): CallDetail['recording_marks'][number] {
  return {
    at_ms: mark.atMs,
    turn_id: 'turnId' in mark ? mark.turnId : null,
    message_id: 'messageId' in mark ? mark.messageId : null,
  };
}

export function toWireTurn(turn: VoiceCallTurn): CallTurn {
  return {
    turn_id: turn.turnId,
    end_of_turn_ms: turn.endOfTurnMs,
    text_ms: turn.textMs,
    model_ms: turn.modelMs,
    speech_ms: turn.speechMs,
    interrupted: turn.interrupted,
  };
}

export function toWireHook(hook: VoiceCallHook): CallHookOutcome {
  return {
    hook_id: hook.hookId,
    tool_name: hook.toolName,
    tool_type: hook.toolType,
    status: hook.status,
    error: hook.error,
    started_at: hook.startedAt?.toISOString() ?? null,
    ended_at: hook.endedAt?.toISOString() ?? null,
  };
}
