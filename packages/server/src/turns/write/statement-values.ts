import { formatUsd } from '../../money.ts';
import type { OpenCall } from '../calls/call.ts';
import type { CallOutcome, StepWrite } from './step-changes.ts';

/** What a step writes, as the rows that its statement reads from JSON. */

export function messageRecord({ message, event }: StepWrite['messages'][number]) {
  const { id, role, content, toolCalls, toolCallId, citations, interrupted, createdAt } = message;
  return {
    id,
    event,
    role,
    content,
    tool_calls: toolCalls,
    tool_call_id: toolCallId,
    citations,
    interrupted,
    created_at: createdAt,
  };
}

export function usageRecord({ id, model, usage, cost }: StepWrite['usage'][number]) {
  const { inputTokens: input, cachedInputTokens: cached, outputTokens: output } = usage;
  return { id, model, input, cached, output, cost: cost === null ? null : formatUsd(cost) };
}

export function callRecord(call: OpenCall) {
  const { id, position, name, arguments: given, repeatable, fault } = call;
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
    fault,
  };
}

export function outcomeRecord({ id, status, executedArguments }: CallOutcome) {
  return { id, status, executed_arguments: executedArguments };
}

export function traceRecord({ startedAt, durationMs, ...step }: StepWrite['trace'][number]) {
  const usage = step.usage && {
    input_tokens: step.usage.inputTokens,
    cached_input_tokens: step.usage.cachedInputTokens,
    output_tokens: step.usage.outputTokens,
  };
  return { ...step, usage, started_at: startedAt, duration_ms: durationMs };
}
