import { formatUsd } from '../../lib/money.ts';
import type { NewTurn } from '../admit/new-turn.ts';
import type { TurnLease } from '../run/lease.ts';
import type { OpenToolCall } from '../tool-calls/tool-call.ts';
import { wireUsage } from '../turns.wire.ts';
import type { StepChanges, ToolCallOutcome } from './step-changes.ts';

/** The values of the statements that admit a turn, in the order in which those number them. */
export function admissionValues(workspaceId: string, turn: NewTurn): unknown[] {
  const { lease, message, newConversation, greeting } = turn;
  const values = [
    lease.turnId,
    workspaceId,
    lease.conversationId,
    lease.botId,
    lease.nodeId,
    [turn.replyId],
    JSON.stringify(lease.options),
    JSON.stringify(turn.events),
    message.id,
    message.content,
    message.createdAt.toISOString(),
    lease.isMetered,
    turn.botRevision,
  ];
  if (!newConversation) return [...values, turn.ifHandedOff && JSON.stringify(turn.ifHandedOff)];
  const { externalUserId, title, metadata } = newConversation;
  const opening = [greeting?.id ?? null, greeting?.content ?? null];
  return [...values, lease.channel, externalUserId, title, metadata, ...opening];
}

/** The values of `writeReply`. */
export function replyValues(lease: TurnLease, changes: StepChanges): unknown[] {
  const { status } = changes;
  return [
    lease.turnId,
    lease.nodeId,
    lease.fence,
    changes.step,
    status,
    changes.replyIds,
    JSON.stringify(changes.events),
    status === 'running' || status === 'paused' ? status : 'idle',
    JSON.stringify(changes.messages.map(messageRecord)),
    JSON.stringify(changes.usage.map(usageRecord)),
  ];
}

/** The values of `writeStep`. */
export function stepValues(lease: TurnLease, changes: StepChanges): unknown[] {
  const { trace, calls = [], outcomes = [] } = changes;
  return [
    ...replyValues(lease, changes),
    JSON.stringify(trace.map(traceRecord)),
    JSON.stringify(calls.map(callRecord)),
    JSON.stringify(outcomes.map(outcomeRecord)),
  ];
}

function messageRecord({ message, event }: StepChanges['messages'][number]) {
  const { id, role, content, toolCalls, toolCallId, citations, interrupted, failed, createdAt } = message;
  return {
    id,
    event,
    role,
    content,
    tool_calls: toolCalls,
    tool_call_id: toolCallId,
    citations,
    interrupted,
    failed,
    created_at: createdAt,
  };
}

function usageRecord({ id, messageId, traceStepId, model, usage, cost }: StepChanges['usage'][number]) {
  const { inputTokens: input, cachedInputTokens: cached, outputTokens: output } = usage;
  return {
    id,
    message_id: messageId,
    trace_step_id: traceStepId,
    model,
    input,
    cached,
    output,
    cost: cost === null ? null : formatUsd(cost),
  };
}

function callRecord(call: OpenToolCall) {
  const { id, position, name, arguments: given, repeatable, inOrder, hasEffects, fault } = call;
  return {
    id,
    message_id: call.messageId,
    position,
    name,
    tool_type: call.toolType,
    tool_id: call.toolId,
    arguments: given,
    needs_approval: call.needsApproval,
    repeatable,
    in_order: inOrder,
    has_effects: hasEffects,
    fault,
  };
}

function outcomeRecord({ id, status, executedArguments }: ToolCallOutcome) {
  return { id, status, executed_arguments: executedArguments };
}

function traceRecord({ startedAt, durationMs, ...step }: StepChanges['trace'][number]) {
  const usage = step.usage && wireUsage(step.usage);
  return { ...step, usage, started_at: startedAt, duration_ms: durationMs };
}
