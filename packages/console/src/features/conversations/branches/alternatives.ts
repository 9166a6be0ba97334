import type { Branch } from '@svc/contract/branches';
import type { ConsoleConversation } from '@svc/contract/console-conversation';

/** The branches of one place, of which one is shown. */
export interface Alternatives {
  branches: readonly Branch[];
  /** Of the one that is shown, counted from 0. */
  index: number;
}

/**
 * By the message that shows them: the user's if it was edited, otherwise the answer, because only that differs. Empty where nothing was
 * answered again or edited.
 */
export function alternativesOf({
  branches,
  messages,
  turns,
}: Pick<ConsoleConversation, 'branches' | 'messages' | 'turns'>): Map<string, Alternatives> {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const places = Map.groupBy(branches, ({ after_message_id: after }) => after);
  const found = new Map<string, Alternatives>();
  for (const ofPlace of places.values()) {
    const index = ofPlace.findIndex(({ first_message_id: id }) => byId.has(id));
    const question = byId.get(ofPlace[index]?.first_message_id ?? '');
    if (!question) continue;
    const isEdited = ofPlace.some(({ text }) => text !== ofPlace[0]?.text);
    const ofTurn = messages.filter(({ turn_id: id }) => id === question.turn_id);
    const answer = isEdited ? undefined : ofTurn.find(({ role }) => role === 'assistant');
    const turn = turns.find(({ id }) => id === question.turn_id);
    // The answer is still to come.
    if (!isEdited && !answer && (turn?.status === 'running' || turn?.status === 'paused')) continue;
    found.set((answer ?? question).id, { branches: ofPlace, index });
  }
  return found;
}
