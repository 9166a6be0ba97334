import type { Attachment } from '@svc/contract/attachments';
import { type Channel, rulesOf } from '@svc/contract/channels';
import type { BotRow } from '../../bots/bots.service.ts';
import { branchedEvent, type NewBranch } from '../../conversations/branches/branches.service.ts';
import { type NewMessage, textMessage, toWireMessage } from '../../conversations/conversations.service.ts';
import type { NewEvent } from '../../events/event.ts';
import { newId } from '../../lib/new-id.ts';
import type { RunRow } from '../../runs/runs.service.ts';
import type { TurnLease } from '../run/lease.ts';
import type { History, PlacedMessage } from '../state.ts';
import type { TurnOptions } from '../turns.tables.ts';
import { handedOffEvent } from '../turns.wire.ts';

export interface TurnToAdmit {
  turnId: string;
  workspaceId: string;
  /** As it is to answer: the options must name its version if that is not the newest. */
  bot: BotRow;
  /** The bot must still have this revision. Null or left out: it was just read. */
  botRevision?: string | null;
  /** Of the conversation, new or not. */
  channel: Channel;
  conversationId: string;
  /** Present if the conversation begins with this turn. */
  newConversation?: NewConversation;
  /** The conversation before this turn, if the caller has started to read it. */
  earlier?: EarlierHistory;
  /** What the turn takes the place of, if it does. */
  branch?: NewBranch;
  /** What the turn answers. */
  text: string;
  /** The files that the message is sent with. */
  attachments?: Attachment[] | undefined;
  options: TurnOptions;
  /** The run that the turn advances, if it is an agent's. */
  run?: RunRow;
}

export interface NewConversation {
  externalUserId: string | null;
  title: string;
  metadata: Record<string, string>;
  /** What the bot opens the conversation with. */
  greeting?: string | null | undefined;
  /** The conversation is started only if the user has none with the bot. */
  isOnlyIfFirst?: boolean;
}

export interface EarlierHistory {
  history: Promise<History>;
  /** The number of the last event when it was read. */
  lastSequence: number;
}

/** Everything that is written to admit a turn: its ids are known before anything is stored. */
export interface NewTurn {
  lease: TurnLease;
  botRevision: string | null;
  replyId: string;
  events: NewEvent[];
  /** Written too if the conversation waits for a person; null in channels where people do not answer. */
  ifHandedOff: NewEvent[] | null;
  message: NewMessage;
  /** Comes before the message. */
  greeting: NewMessage | undefined;
  newConversation: NewConversation | undefined;
}

export function newTurn(
  wanted: TurnToAdmit,
  { nodeId, isMetered, now }: { nodeId: string; isMetered: boolean; now: Date },
): NewTurn {
  const { turnId, workspaceId, bot, channel, conversationId, newConversation, branch, options } = wanted;
  const { attachments = null } = wanted;
  const message = { ...textMessage(newId(), 'user', wanted.text, now), attachments };
  const opening = newConversation?.greeting;
  const greeting = opening?.trim() ? textMessage(newId(), 'assistant', opening, now) : undefined;
  const before = greeting
    ? [{ type: 'message.completed' as const, data: { message: toWireMessage(greeting) } }]
    : branch
      ? [branchedEvent(branch, turnId)]
      : [];
  const started: NewEvent = {
    type: 'turn.started',
    data: {
      turn_id: turnId,
      conversation_id: conversationId,
      bot_id: bot.id,
      user_message: toWireMessage(message),
    },
  };
  return {
    lease: {
      turnId,
      workspaceId,
      conversationId,
      botId: bot.id,
      channel,
      nodeId,
      fence: 1,
      isMetered,
      options,
    },
    botRevision: wanted.botRevision ?? null,
    replyId: newId(),
    events: [...before, started],
    ifHandedOff: rulesOf(channel).continuedByUser ? [handedOffEvent(turnId)] : null,
    message,
    greeting,
    newConversation,
  };
}

/** The turn's own messages, numbered from its first event. */
export function firstMessages({ greeting, message, events }: NewTurn, first: number): PlacedMessage[] {
  const placed = { ...message, sequence: first + events.length - 1 };
  return greeting ? [{ ...greeting, sequence: first }, placed] : [placed];
}
