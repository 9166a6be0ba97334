import type { DurableEvents, LiveEvents } from '@svc/contract/chat';
import { createReplyTexts, type Shown } from './reply-texts.ts';
import type { ServerEvent } from './server-events.ts';
import { describeError } from './service-errors.ts';
import type { Terminal } from './terminal.ts';
import { createToolLines } from './tool-lines.ts';

type Events = DurableEvents & LiveEvents;

/** Shows the events of one turn: the reply as text, everything else as lines of their own. */
export function createTurnView(
  terminal: Pick<Terminal, 'write' | 'endReply' | 'say'>,
): (event: ServerEvent) => void {
  const texts = createReplyTexts();
  const tools = createToolLines();

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
      case 'message.delta': {
        const { message_id: id, offset, text } = dataOf('message.delta', event);
        return show(texts.delta(id, offset, text));
      }
      case 'stream.snapshot': {
        const { message_id: id, text } = dataOf('stream.snapshot', event);
        return show(texts.snapshot(id, text));
      }
      case 'message.completed': {
        const { message } = dataOf('message.completed', event);
        if (message.role !== 'assistant') return undefined;
        show(texts.completed(message.id, message.content));
        return terminal.endReply();
      }
      case 'message.operator':
        return terminal.say(`A person writes: ${dataOf('message.operator', event).message.content}`);
      case 'conversation.needs_human': {
        const { needs_human: wanted } = dataOf('conversation.needs_human', event);
        return terminal.say(
          wanted
            ? `A person was asked to take over: ${wanted.reason}`
            : 'Nobody waits for a person any more.',
        );
      }
      case 'stream.gap':
        return terminal.say('Part of the conversation was removed meanwhile.');
      case 'turn.interrupted':
        return terminal.say('The reply was stopped.');
      case 'turn.failed':
        return terminal.say(describeError(dataOf('turn.failed', event).error));
      default: {
        const line = tools(event);
        if (line) terminal.say(line);
      }
    }
  };
}

/** What the contract says of this event. */
function dataOf<Type extends keyof Events>(_type: Type, { data }: ServerEvent): Events[Type] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the name of an event decides its data
  return data as unknown as Events[Type];
}
