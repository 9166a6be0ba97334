import type { ServerEvent } from './api-client.ts';
import { createReplyTexts, type Shown } from './reply-texts.ts';
import { describeError } from './service-errors.ts';
import type { Terminal } from './terminal.ts';
import { createToolLines } from './tool-lines.ts';

/** Shows the events of one turn: the reply as text, everything else as separate lines. */
export function createTurnView(
  terminal: Pick<Terminal, 'write' | 'endReply' | 'say'>,
): (event: ServerEvent) => void {
  const texts = createReplyTexts();
  const lineOf = createToolLines();

  function show(shown: Shown): void {
    if (shown.kind === 'nothing') return;
    if (shown.kind === 'instead') {
      terminal.endReply();
      terminal.say('What was shown of the reply is taken back; it starts again.');
    }
    terminal.write(shown.text);
  }

  return (event) => {
    switch (event.type) {
      case 'message.delta':
        return show(texts.delta(event.data.message_id, event.data.offset, event.data.text));
      case 'stream.snapshot':
        return show(texts.snapshot(event.data.message_id, event.data.text));
      case 'message.completed': {
        const { message } = event.data;
        if (message.role !== 'assistant') return undefined;
        show(texts.completed(message.id, message.content));
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
        return terminal.say(lineOf(event));
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
