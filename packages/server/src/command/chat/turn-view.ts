import type { FullEvent } from '@svc/client/conversation';
import { applyFullEvents, type FullState, fullStateOf } from '@svc/client/full-conversation';
import { describeError } from './service-errors.ts';
import type { Terminal } from './terminal.ts';

/** Shows the events of one turn: the reply as text, everything else as separate lines. */
export function createTurnView(
  terminal: Pick<Terminal, 'write' | 'endReply' | 'say'>,
): (event: FullEvent) => void {
  let state: FullState = fullStateOf(
    {
      status: 'idle',
      needs_human: null,
      messages: [],
      message_count: 0,
      turns: [],
      calls: [],
      approvals: [],
    },
    0,
  );

  /** A terminal cannot unprint text, so a reply that turns out different is shown again. */
  function showReply(messageId: string, before: FullState): void {
    const [shown, text] = [replyIn(before, messageId), replyIn(state, messageId)];
    if (text === shown) return;
    const grows = text.startsWith(shown);
    if (!grows) {
      terminal.endReply();
      terminal.say('What was shown of the reply is taken back; it starts again.');
    }
    terminal.write(grows ? text.slice(shown.length) : text);
  }

  return (event) => {
    const before = state;
    state = applyFullEvents(state, [event], new Date());
    switch (event.type) {
      case 'message.delta':
      case 'stream.snapshot':
        return showReply(event.data.message_id, before);
      case 'message.completed': {
        const { message } = event.data;
        if (message.role !== 'assistant') return undefined;
        showReply(message.id, before);
        return terminal.endReply();
      }
      case 'message.operator':
        return terminal.say(
          `${event.data.message.author_name ?? 'A person'} writes: ${event.data.message.content}`,
        );
      case 'conversation.needs_human': {
        const { needs_human: wanted } = event.data;
        return terminal.say(
          wanted
            ? `A person was asked to take over: ${wanted.reason}`
            : 'The conversation no longer waits for a person: the bot answers again.',
        );
      }
      case 'stream.gap':
        return terminal.say('Part of the conversation was removed in the meantime.');
      case 'turn.interrupted':
        return terminal.say('The reply was stopped.');
      case 'turn.failed':
        return terminal.say(describeError(event.data.error));
      case 'tool.started':
      case 'tool.progress':
      case 'tool.completed':
      case 'approval.requested':
      case 'approval.resolved':
      case 'turn.paused':
      case 'turn.resumed':
        return terminal.say(toolLine(event, state.conversation.calls));
      case 'turn.completed':
        return event.data.handed_off ? terminal.say('A person will answer; the bot does not.') : undefined;
      case 'turn.started':
      case 'conversation.truncated':
        return undefined;
      default:
        return event satisfies never;
    }
  };
}

/** A reply as far as it was written. */
function replyIn({ preview, conversation }: FullState, messageId: string): string {
  if (preview?.messageId === messageId) return preview.text;
  return conversation.messages.find(({ id }) => id === messageId)?.content ?? '';
}

const maxTextLength = 100;

type ToolEvent = Extract<
  FullEvent,
  { type: `tool.${string}` | `approval.${string}` | 'turn.paused' | 'turn.resumed' }
>;

/** One line for each event of tools and approvals. */
function toolLine({ type, data }: ToolEvent, calls: readonly { id: string; name: string }[]): string {
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
