import type { ServerEvent } from './api-client.ts';

const maxTextLength = 100;

/** The events of tools and approvals. */
export type ToolEvent = Extract<
  ServerEvent,
  { type: `tool.${string}` | `approval.${string}` | 'turn.paused' | 'turn.resumed' }
>;

/** One line for each event of tools and approvals. */
export function createToolLines(): (event: ToolEvent) => string {
  const names = new Map<string, string>();
  const nameOf = (callId: string) => names.get(callId) ?? 'tool';

  return ({ type, data }) => {
    switch (type) {
      case 'tool.started':
        names.set(data.tool_call_id, data.tool_name);
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
        const { tool_call_id: callId, tool_name: tool, status, reason } = data.approval;
        // A call that is denied never starts.
        names.set(callId, tool);
        const why = reason === null ? '' : ` (${short(reason)})`;
        return `The approval of ${tool}: ${status.replace('_', ', ')}${why}.`;
      }
      case 'turn.paused':
        return 'The turn waits for approval: answer it in the console or with POST /api/v1/hitl/{id}/respond.';
      case 'turn.resumed':
        return 'The turn continues.';
    }
  };
}

/** On one line, and not too long for it. */
function short(value: unknown): string {
  const text = (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).replaceAll(/\s+/g, ' ');
  return text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength - 1)}…`;
}
