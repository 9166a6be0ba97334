import type { Stopped } from '@svc/contract/chat';
import type { Conversation } from '@svc/contract/conversations';
import type { EndUserConversation, EndUserConversationDetail, VisitorMessage } from '@svc/contract/end-users';
import { notFound } from '../../app-error.ts';
import type { ConversationRow, ConversationService } from '../../conversations/service.ts';
import type { MessageCaps, Sender } from '../../end-users/service.ts';
import { toEndUserMessage } from '../../events/end-user-view.ts';
import type { EndUserPrincipal } from '../../http/end-user.ts';
import type { AcceptedTurn, SendOptions, TurnService } from '../../turns/service.ts';
import type { WidgetService } from '../service.ts';
import { createVisitorRates } from './visitor-rates.ts';
import { createVisitorTokens, type VisitorTokenDependencies } from './visitor-tokens.ts';

export interface VisitorDependencies extends VisitorTokenDependencies {
  widgets: VisitorTokenDependencies['widgets'] & Pick<WidgetService, 'welcomeMessageOf'>;
  caps: MessageCaps;
  turns: TurnService;
  conversations: ConversationService;
}

export type VisitorService = ReturnType<typeof createVisitorService>;

const maxListed = 20;

/** What visitors of pages with a widget can do. They are end users whose tokens a widget key has issued. */
export function createVisitorService(dependencies: VisitorDependencies) {
  const { widgets, caps, turns, conversations } = dependencies;
  const rates = createVisitorRates();

  /** The limits are those that the key has now, not those it had when it issued the token. */
  async function senderOf(visitor: EndUserPrincipal, idempotencyKey: string | undefined): Promise<Sender> {
    const { workspaceId, externalUserId, issuerId } = visitor;
    const settings = await widgets.keySettings(workspaceId, issuerId);
    return {
      workspaceId,
      externalUserId,
      caps: { messagesPerHour: settings.visitorMessagesPerHour, usdPerDay: settings.visitorUsdPerDay },
      widgetKey: { id: issuerId, messagesPerHour: settings.rateLimitPerHour },
      idempotencyKey,
    };
  }

  /** To a visitor, conversations of others do not exist. */
  async function requireOwn(visitor: EndUserPrincipal, conversationId: string): Promise<ConversationRow> {
    const { workspaceId, externalUserId, botId, channel } = visitor;
    const row = await conversations.getRow(workspaceId, conversationId, externalUserId);
    if (row.channel !== channel || row.botId !== botId) throw notFound();
    return row;
  }

  return {
    issueToken: createVisitorTokens(dependencies),

    /** Throws RATE_LIMITED for a visitor that requests too much. */
    countRequest: (visitor: EndUserPrincipal): Promise<void> => rates.countRequest(nameOf(visitor)),

    /** The same for callers without a token, by their address. */
    countAddress: (address: string, keyId: string): Promise<void> =>
      rates.countRequest(`${keyId} address ${address}`),

    /** Throws RATE_LIMITED for a visitor with too many open streams. Returns a function to call when the stream has ended. */
    openStream: (visitor: EndUserPrincipal): (() => void) => rates.openStream(nameOf(visitor)),

    /** Throws RATE_LIMITED for a visitor that is known to be over a limit, without reading anything. */
    async refuseKnown(visitor: EndUserPrincipal, idempotencyKey: string | undefined): Promise<void> {
      caps.refuseKnown(await senderOf(visitor, idempotencyKey));
    },

    async listConversations(visitor: EndUserPrincipal): Promise<EndUserConversation[]> {
      const { workspaceId, externalUserId, botId, channel } = visitor;
      const query = { external_user_id: externalUserId, channel, limit: maxListed };
      const page = await conversations.list(
        workspaceId,
        { ...query, ...(botId !== null && { bot_id: botId }) },
        {},
      );
      return page.conversations.map(toEndUserConversation);
    },

    async getConversation(
      visitor: EndUserPrincipal,
      conversationId: string,
    ): Promise<EndUserConversationDetail> {
      // Read first: what is stored in between is sent again to a reader that follows from here.
      const { lastSequence } = await requireOwn(visitor, conversationId);
      const { messages, ...conversation } = await conversations.get(visitor.workspaceId, conversationId);
      return {
        ...toEndUserConversation(conversation),
        last_event_id: lastSequence,
        messages: messages.flatMap((message) => toEndUserMessage(message) ?? []),
      };
    },

    async startOfReading(
      visitor: EndUserPrincipal,
      conversationId: string,
      lastSeen: number | undefined,
    ): Promise<number> {
      await requireOwn(visitor, conversationId);
      return turns.startOfReading(visitor.workspaceId, { conversation_id: conversationId }, lastSeen);
    },

    startOfRepeat: (visitor: EndUserPrincipal, accepted: AcceptedTurn, lastSeen: number | undefined) =>
      turns.startOfRepeat(visitor.workspaceId, accepted, lastSeen),

    async stop(visitor: EndUserPrincipal, conversationId: string): Promise<Stopped> {
      await requireOwn(visitor, conversationId);
      return turns.stop(visitor.workspaceId, conversationId, 'user');
    },

    async send(
      visitor: EndUserPrincipal,
      message: VisitorMessage,
      options: Omit<SendOptions, 'channel' | 'greeting'> & { idempotencyKey: string | undefined },
    ): Promise<AcceptedTurn> {
      const { workspaceId, externalUserId, botId, channel, issuerId: keyId } = visitor;
      const { idempotencyKey, ...given } = options;
      const isNew = message.conversation_id === undefined;
      const greeting = isNew ? await widgets.welcomeMessageOf({ workspaceId, keyId }) : null;
      const sent = { ...message, external_user_id: externalUserId, ...(botId !== null && { bot_id: botId }) };
      return caps.during(await senderOf(visitor, idempotencyKey), () =>
        turns.send(workspaceId, sent, {
          ...given,
          channel,
          isEndUser: true,
          ...(greeting !== null && { greeting }),
        }),
      );
    },
  };
}

function toEndUserConversation(conversation: Conversation): EndUserConversation {
  const { id, bot_id, title, needs_human, created_at, last_message_at } = conversation;
  const status =
    conversation.status === 'running' || conversation.status === 'paused' ? conversation.status : 'idle';
  return { id, bot_id, title, status, needs_human: needs_human !== null, created_at, last_message_at };
}

function nameOf({ issuerId, externalUserId }: EndUserPrincipal): string {
  return `${issuerId} ${externalUserId}`;
}
