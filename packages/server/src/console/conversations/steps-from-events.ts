import type { TraceStep } from '@svc/contract/conversations';
import type { EventRow } from '../../events/event.ts';

export interface EventStep {
  step: TraceStep;
  /** The message that the step wrote. */
  messageId: string | null;
}

/** What the event that ended a step says about it. */
interface Ended extends Pick<TraceStep, 'type' | 'name' | 'status' | 'input' | 'output' | 'error'> {
  startedAt: Date;
}

/** What came before an event of the same turn. */
interface Before {
  /** Calls that have begun and approvals that were requested, by their id. */
  begun: ReadonlyMap<string, EventRow>;
  /** When the event before it was stored. */
  at: Date;
}

/**
 * The steps of a turn that was not traced. The log has calls with input, output and duration, and when each reply was stored:
 * the model is taken to have begun when whatever came before it had ended.
 */
export function stepsFromEvents(turnId: string, events: readonly EventRow[]): EventStep[] {
  const begun = new Map<string, EventRow>();
  let at = events[0]?.createdAt ?? new Date(0);
  const steps = events.flatMap((event) => {
    const ended = endedBy(event, { begun, at });
    if (event.type === 'tool.started') begun.set(event.data.tool_call_id, event);
    if (event.type === 'approval.requested') begun.set(event.data.approval.id, event);
    at = event.createdAt;
    const messageId = event.type === 'message.completed' ? event.data.message.id : null;
    return ended ? [{ step: toStep(turnId, event, ended), messageId }] : [];
  });
  return steps
    .toSorted((one, other) => one.step.started_at.localeCompare(other.step.started_at))
    .map(({ step, messageId }, index) => ({ step: { ...step, index }, messageId }));
}

function toStep(turnId: string, event: EventRow, { startedAt, ...ended }: Ended): TraceStep {
  return {
    // The same step has the same id each time: addresses of the console name it.
    id: `${turnId.slice(0, 24)}${event.sequence.toString(16).padStart(12, '0').slice(-12)}`,
    turn_id: turnId,
    index: 0,
    started_at: startedAt.toISOString(),
    duration_ms: Math.max(0, event.createdAt.getTime() - startedAt.getTime()),
    usage: null,
    ...ended,
  };
}

function endedBy(event: EventRow, before: Before): Ended | undefined {
  if (event.type === 'tool.completed') return callEnded(event, before);
  if (event.type === 'approval.resolved') return approvalEnded(event, before);
  if (event.type === 'message.completed') {
    const { content: text, tool_calls, citations } = event.data.message;
    const output = {
      text,
      ...(tool_calls.length > 0 && { tool_calls }),
      ...(citations.length > 0 && { citations }),
    };
    return { ...model, startedAt: before.at, output };
  }
  if (event.type !== 'turn.failed') return undefined;
  return { ...model, startedAt: before.at, status: 'error', error: event.data.error.message };
}

const model = { type: 'model', name: 'model', status: 'ok', input: null, output: null, error: null } as const;

function callEnded(event: Extract<EventRow, { type: 'tool.completed' }>, { begun }: Before): Ended {
  const { tool_call_id: id, status, result, duration_ms: duration } = event.data;
  const started = begun.get(id);
  const { tool_name: name, arguments: input } =
    started?.type === 'tool.started' ? started.data : { tool_name: 'tool', arguments: null };
  const isOk = status === 'ok';
  return {
    type: 'tool',
    name,
    startedAt: new Date(event.createdAt.getTime() - duration),
    status: isOk ? 'ok' : 'error',
    input,
    output: result,
    error: isOk ? null : status,
  };
}

function approvalEnded(event: Extract<EventRow, { type: 'approval.resolved' }>, { begun }: Before): Ended {
  const { id, tool_name: name, arguments: input, status, resolved_by, reason } = event.data.approval;
  return {
    type: 'approval',
    name,
    startedAt: begun.get(id)?.createdAt ?? event.createdAt,
    status: 'ok',
    input,
    output: { status, resolved_by, ...(reason !== null && { reason }) },
    error: null,
  };
}
