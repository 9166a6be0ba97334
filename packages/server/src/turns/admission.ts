import { textMessage, toWireMessage } from '../conversations/service.ts';
import type { NewEvent } from '../events/event.ts';
import { newId } from '../new-id.ts';
import type { Admission } from './store.ts';
import type { TurnOptions } from './tables.ts';

export interface AdmissionParts {
  workspaceId: string;
  botId: string;
  /** Left out: for the bot as it is. */
  botRevision?: string | null;
  /** Left out: the conversation begins with this turn. */
  conversationId: string | undefined;
  newConversation: Admission['newConversation'];
  /** What the turn answers. */
  text: string;
  options: TurnOptions;
  nodeId: string;
  now: Date;
}

/** A turn that is about to be written: its ids are known before anything is stored. */
export function newAdmission(parts: AdmissionParts): Admission {
  const { workspaceId, botId, newConversation, options, nodeId } = parts;
  const conversationId = parts.conversationId ?? newId();
  const turnId = newId();
  const message = textMessage(newId(), 'user', parts.text, parts.now);
  const started: NewEvent = {
    type: 'turn.started',
    data: {
      turn_id: turnId,
      conversation_id: conversationId,
      bot_id: botId,
      user_message: toWireMessage(message),
    },
  };
  return {
    lease: { turnId, workspaceId, conversationId, botId, nodeId, fence: 1, isMetered: false, options },
    botRevision: parts.botRevision ?? null,
    replyId: newId(),
    events: [started],
    message,
    ...(parts.conversationId === undefined && newConversation && { newConversation }),
  };
}
