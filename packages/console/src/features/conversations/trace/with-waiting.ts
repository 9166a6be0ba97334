import type { ConsoleConversation, ConsoleTraceStep } from '@svc/contract/console-conversation';

/** A trace has an approval once it is answered; until then the wait is drawn up to now. */
export function withWaiting(
  steps: readonly ConsoleTraceStep[],
  { approvals }: Pick<ConsoleConversation, 'approvals'>,
  turnId: string,
  now: number,
): ConsoleTraceStep[] {
  const waiting = approvals.filter(({ status, turn_id: id }) => status === 'pending' && id === turnId);
  return [
    ...steps,
    ...waiting.map(
      (approval, index): ConsoleTraceStep => ({
        id: approval.id,
        turn_id: turnId,
        index: steps.length + index,
        type: 'approval',
        name: approval.tool_name,
        status: 'ok',
        started_at: approval.created_at,
        duration_ms: Math.max(0, now - Date.parse(approval.created_at)),
        input: approval.arguments,
        output: { status: 'waiting' },
        usage: null,
        error: null,
        cost_usd: null,
      }),
    ),
  ];
}
