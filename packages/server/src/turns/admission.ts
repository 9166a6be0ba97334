import { v7 as uuidv7 } from 'uuid';
import { textMessage, toWireMessage } from '../conversations/service.ts';
import type { NewEvent } from '../events/event.ts';
import type { Admission } from './store.ts';
import type { TurnOptions } from './tables.ts';

export interface AdmissionParts {
  workspaceId: string;
  botId: string;
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
  const conversationId = parts.conversationId ?? uuidv7();
  const turnId = uuidv7();
  const message = textMessage(uuidv7(), 'user', parts.text, parts.now);
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
    replyId: uuidv7(),
    reserved: 0n,
    events: [started],
    message,
    ...(parts.conversationId === undefined && newConversation && { newConversation }),
  };
}
