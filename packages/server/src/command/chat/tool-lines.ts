import type { ServerEvent } from './server-events.ts';

const longestText = 100;

/** One line for each event of tools and approvals; undefined for any other event. */
export function createToolLines(): (event: ServerEvent) => string | undefined {
  const names = new Map<unknown, string>();

  return ({ type, data }) => {
    const name = names.get(data['tool_call_id']) ?? 'tool';
    switch (type) {
      case 'tool.started': {
        const started = String(data['tool_name']);
        names.set(data['tool_call_id'], started);
        return `→ ${started} ${short(data['arguments'])}`;
      }
      case 'tool.progress':
        return `  ${name}: ${short(data['text'])}`;
      case 'tool.completed': {
        const status = String(data['status']);
        const outcome = `← ${name} ${status}, ${seconds(data['duration_ms'])}`;
        return status === 'ok' ? outcome : `${outcome}: ${short(data['result'])}`;
      }
      case 'approval.requested': {
        const approval = fields(data['approval']);
        return `? ${String(approval['tool_name'])} ${short(approval['arguments'])} needs approval (${String(approval['id'])}).`;
      }
      case 'approval.resolved': {
        const { tool_name: tool, status, reason } = fields(data['approval']);
        const why = typeof reason === 'string' ? ` (${short(reason)})` : '';
        return `The approval of ${String(tool)}: ${String(status).replace('_', ', ')}${why}.`;
      }
      case 'turn.paused':
        return 'The turn waits for approval: answer it in the console or with POST /api/v1/hitl/{id}/respond.';
      case 'turn.resumed':
        return 'The turn goes on.';
      default:
        return undefined;
    }
  };
}

function fields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** On one line, and not too long for it. */
function short(value: unknown): string {
  const text = (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).replaceAll(/\s+/g, ' ');
  return text.length <= longestText ? text : `${text.slice(0, longestText - 1)}…`;
}

function seconds(milliseconds: unknown): string {
  return typeof milliseconds === 'number' ? `${(milliseconds / 1_000).toFixed(1)} s` : 'no duration';
}
