import type { History } from '../history.ts';
import { type Directive, readDirective } from '../load/directive.ts';
import type { Stored, StoredConversation, StoredMessage } from './stored.ts';

/** The replies of a turn are the steps of its directive, each once, in order, whole and from one attempt of the model. */
export function checkReplies({ conversations, turns }: Stored, history: History): void {
  for (const conversation of conversations.values()) {
    const isTruncated = conversation.events.some(({ event }) => event === 'conversation.truncated');
    for (const [turnId, { directive, replies }] of repliesByTurn(conversation)) {
      for (const [step, reply] of replies.entries()) {
        if (isStep(reply, directive, step)) continue;
        history.find({
          what: `reply ${step} of a turn is not what the model wrote`,
          ids: [directive.tag, turnId, reply.id],
          detail: reply.content,
        });
      }
      const isCompleted = turns.get(turnId)?.status === 'completed' && !isTruncated;
      if (isCompleted && replies.length !== directive.words.length) {
        history.find({
          what: `a turn of ${directive.words.length} steps has ${replies.length} replies`,
          ids: [directive.tag, turnId, conversation.id],
        });
      }
    }
  }
}

interface TurnReplies {
  directive: Directive;
  replies: StoredMessage[];
}

function repliesByTurn({ messages }: StoredConversation): Map<string, TurnReplies> {
  const byTurn = new Map<string, TurnReplies>();
  for (const message of messages) {
    if (message.turn_id === null) continue;
    const directive = message.role === 'user' ? readDirective(message.content) : undefined;
    if (directive) byTurn.set(message.turn_id, { directive, replies: [] });
    if (message.role === 'assistant') byTurn.get(message.turn_id)?.replies.push(message);
  }
  return byTurn;
}

/** A reply that was interrupted or failed may end anywhere. */
function isStep(
  { content, interrupted, failed }: StoredMessage,
  { tag, words }: Directive,
  step: number,
): boolean {
  const attempt = content.split('/')[2] ?? '1';
  const whole = Array.from(
    { length: words[step] ?? 0 },
    (_, index) => `${tag}/${step}/${attempt}/${index}`,
  ).join(' ');
  return interrupted || failed ? whole.startsWith(content.trimEnd()) : content === whole;
}
