import type { FullEvent } from '@svc/client/conversation';

const maxTextLength = 100;

/** The events of tools and approvals. */
export type ToolEvent = Extract<
  FullEvent,
  { type: `tool.${string}` | `approval.${string}` | 'turn.paused' | 'turn.resumed' }
>;

/** One line for each event of tools and approvals. */
export function toolLine({ type, data }: ToolEvent, calls: readonly { id: string; name: string }[]): string {
  const nameOf = (callId: string) => calls.find(({ id }) => id === callId)?.name ?? 'tool';
  switch (type) {
    case 'tool.started':
      return `→ ${data.tool_name} ${short(data.arguments)}`;
    case 'tool.progress':
      return `  ${nameOf(data.tool_call_id)}: ${short(data.text)}`;
    case 'tool.completed': {
      const seconds = (data.duration_ms / 1_000).toFixed(1);
      const outcome = `← ${nameOf(data.tool_call_id)} ${data.status}, ${seconds} s`;
      return data.status === 'ok' || data.result === null ? outcome : `${outcome}: ${short(data.result)}`;
    }
    case 'approval.requested': {
      const { id, tool_name: tool, arguments: given } = data.approval;
      return `? ${tool} ${short(given)} needs approval (${id}).`;
    }
    case 'approval.resolved': {
      const { tool_name: tool, status, reason } = data.approval;
      const why = reason === null ? '' : ` (${short(reason)})`;
      return `The approval of ${tool}: ${status.replace('_', ', ')}${why}.`;
    }
    case 'turn.paused':
      return 'The turn waits for approval: answer it in the console or with POST /api/v1/hitl/{id}/respond.';
    case 'turn.resumed':
      return 'The turn continues.';
  }
}

/** On one line, and not too long for it. */
function short(value: unknown): string {
  const text = (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).replaceAll(/\s+/g, ' ');
  return text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength - 1)}…`;
}
