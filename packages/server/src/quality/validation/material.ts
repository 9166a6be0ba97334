import type { ConversationService } from '../../conversations/conversations.service.ts';
import type { Database } from '../../database/database.ts';
import { isSource } from '../keeper.ts';
import type { QualityRow } from '../quality.store.ts';
import type { ValidatedAnswer } from './reply-verdict.ts';

const maxOperatorMessages = 5;

export interface Material extends ValidatedAnswer {
  /** The event that announced the answer. */
  sequence: number;
}

/** Reads what an answer is compared with; undefined if the answer was truncated in the meantime. */
export async function readMaterial(
  record: QualityRow,
  {
    database,
    conversations,
  }: {
    database: Database;
    conversations: Pick<ConversationService, 'listOfTurn' | 'listToolOutcomes' | 'listOperatorMessages'>;
  },
): Promise<Material | undefined> {
  const { workspaceId } = record;
  const messages = await conversations.listOfTurn(workspaceId, record);
  const answer = messages.find(({ id }) => id === record.messageId);
  if (!answer) return undefined;
  const operatorMessages = await conversations.listOperatorMessages(workspaceId, record.conversationId, 0);
  const known = operatorMessages
    .filter(({ sequence }) => sequence < answer.sequence)
    .slice(-maxOperatorMessages);
  const outcomes = await conversations.listToolOutcomes(database.within(workspaceId), workspaceId, record);
  return {
    question: messages.find(({ role }) => role === 'user')?.content ?? '',
    answer: answer.content,
    sources: [
      ...outcomes.filter(isSource).map(({ name, content }) => ({ name, text: content })),
      ...record.passages.map(({ title, text }) => ({ name: title, text })),
      ...known.map(({ content }) => ({ name: 'A person of the team', text: content })),
    ],
    sequence: answer.sequence,
  };
}
