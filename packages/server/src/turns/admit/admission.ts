import type { Channel } from '@svc/contract/channels';
import { type NewMessage, textMessage, toWireMessage } from '../../conversations/service.ts';
import type { NewEvent } from '../../events/event.ts';
import { newId } from '../../new-id.ts';
import type { TurnLease } from '../run/lease.ts';
import type { PlacedMessage } from '../state.ts';
import type { TurnOptions } from '../tables.ts';

export interface Admission {
  lease: TurnLease;
  /** The turn is for the bot as this revision has it; null: for the bot as it is. */
  botRevision: string | null;
  replyId: string;
  events: NewEvent[];
  message: NewMessage;
  /** What the bot opens the new conversation with, before the message. */
  greeting?: NewMessage;
  /** Present when the conversation begins with this turn. */
  newConversation?: {
    externalUserId: string | null;
    title: string;
    metadata: Record<string, string>;
  };
}

export interface AdmissionParts {
  workspaceId: string;
  botId: string;
  /** Left out: for the bot as it is. */
  botRevision?: string | null;
  /** Of the conversation, new or not. */
  channel: Channel;
  /** Left out: the conversation begins with this turn. */
  conversationId: string | undefined;
  newConversation: Admission['newConversation'];
  /** What the bot opens a new conversation with. */
  greeting?: string | null | undefined;
  /** What the turn answers. */
  text: string;
  options: TurnOptions;
  nodeId: string;
  now: Date;
}

/** A turn that is about to be written: its ids are known before anything is stored. */
export function newAdmission(parts: AdmissionParts): Admission {
  const { workspaceId, botId, channel, newConversation, options, nodeId } = parts;
  const conversationId = parts.conversationId ?? newId();
  const turnId = newId();
  const isNew = parts.conversationId === undefined && newConversation !== undefined;
  const greeting =
    isNew && parts.greeting?.trim()
      ? textMessage(newId(), 'assistant', parts.greeting, parts.now)
      : undefined;
  const message = textMessage(newId(), 'user', parts.text, parts.now);
  const events: NewEvent[] = [
    ...(greeting ? [{ type: 'message.completed' as const, data: { message: toWireMessage(greeting) } }] : []),
    {
      type: 'turn.started',
      data: {
        turn_id: turnId,
        conversation_id: conversationId,
        bot_id: botId,
        user_message: toWireMessage(message),
      },
    },
  ];
  return {
    lease: {
      turnId,
      workspaceId,
      conversationId,
      botId,
      channel,
      nodeId,
      fence: 1,
      isMetered: false,
      options,
    },
    botRevision: parts.botRevision ?? null,
    replyId: newId(),
    events,
    message,
    ...(isNew && { newConversation }),
    ...(greeting && { greeting }),
  };
}

/** What is said in a conversation that begins with a turn, in its place. */
export function saidFirst({ greeting, message, events }: Admission, first: number): PlacedMessage[] {
  const placed = { ...message, sequence: first + events.length - 1 };
  return greeting ? [{ ...greeting, sequence: first }, placed] : [placed];
}
