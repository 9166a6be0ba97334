import type { FullEvent } from '@svc/client/conversation';
import { applyFullEvents, type FullState, fullStateOf } from '@svc/client/full-conversation';
import { createCallView, oneLine, runningText } from './call-view.ts';
import { describeError } from './service-errors.ts';
import type { Terminal } from './terminal.ts';

/** What the spinner says while the model is asked. */
const thinking = 'thinking';

/** Shows the events of one turn: the reply as text, everything else as separate lines. */
export function createTurnView(
  terminal: Pick<Terminal, 'write' | 'endReply' | 'say' | 'sayLines' | 'busy'>,
): (event: FullEvent) => void {
  const calls = createCallView(terminal);
  /** What stands on the screen of each reply. A reply whose end is known later than the next one has begun is not shown again. */
  const shownReplies = new Map<string, string>();
  let currentReply = '';
  let state: FullState = fullStateOf(
    {
      status: 'idle',
      needs_human: null,
      assignee: null,
      state: 'open',
      snoozed_until: null,
      labels: [],
      messages: [],
      message_count: 0,
      notes: [],
      turns: [],
      calls: [],
      approvals: [],
    },
    0,
  );

  /** A terminal cannot unprint text, so a reply that turns out different is shown again. */
  function showReply(messageId: string): void {
    const shown = shownReplies.get(messageId) ?? '';
    const text = replyIn(state, messageId);
    if (text === shown) return;
    const grows = text.startsWith(shown);
    // What was missing of one reply does not belong into the middle of another.
    if (currentReply !== messageId) terminal.endReply();
    currentReply = messageId;
    shownReplies.set(messageId, text);
    if (!grows) {
      terminal.endReply();
      terminal.say('What was shown of the reply is taken back; it starts again.');
    }
    terminal.write(grows ? text.slice(shown.length) : text);
  }

  const nameOf = (callId: string) => state.conversation.calls.find(({ id }) => id === callId)?.name ?? 'tool';

  return (event) => {
    state = applyFullEvents(state, [event], new Date());
    switch (event.type) {
      case 'message.delta':
        // A piece of a reply that another has replaced adds nothing to what is shown.
        return state.preview?.messageId === event.data.message_id
          ? showReply(event.data.message_id)
          : undefined;
      case 'stream.snapshot':
        return showReply(event.data.message_id);
      case 'message.completed': {
        const { message } = event.data;
        if (message.role !== 'assistant') return undefined;
        showReply(message.id);
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
        terminal.busy(runningText(event.data));
        return calls.started(event.data);
      case 'tool.progress':
        return calls.progress(event.data, nameOf(event.data.tool_call_id));
      case 'tool.completed':
        terminal.busy(thinking);
        return calls.completed(event.data, nameOf(event.data.tool_call_id));
      case 'approval.requested':
      case 'approval.resolved':
      case 'turn.paused':
      case 'turn.resumed':
        return terminal.say(approvalLine(event));
      case 'turn.completed':
        terminal.busy(undefined);
        return event.data.handed_off ? terminal.say('A person will answer; the bot does not.') : undefined;
      case 'turn.started':
        return terminal.busy(thinking);
      case 'conversation.branched':
      case 'message.rated':
      case 'message.typing':
      case 'conversation.truncated':
      case 'conversation.updated':
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

type ApprovalEvent = Extract<FullEvent, { type: `approval.${string}` | 'turn.paused' | 'turn.resumed' }>;

/** One line for each event of approvals. */
function approvalLine({ type, data }: ApprovalEvent): string {
  switch (type) {
    case 'approval.requested': {
      const { id, tool_name: tool, arguments: given } = data.approval;
      return `? ${tool} ${oneLine(given)} needs approval (${id}).`;
    }
    case 'approval.resolved': {
      const { tool_name: tool, arguments: given, status, reason, grant_id: grantId } = data.approval;
      if (grantId) return `${tool} ${oneLine(given)} runs without asking, as was allowed.`;
      const why = reason === null ? '' : ` (${oneLine(reason)})`;
      return `The approval of ${tool}: ${status.replace('_', ', ')}${why}.`;
    }
    case 'turn.paused':
      return 'The turn waits for approval: answer it in the console or with POST /api/v1/hitl/{id}/respond.';
    case 'turn.resumed':
      return 'The turn continues.';
  }
}
