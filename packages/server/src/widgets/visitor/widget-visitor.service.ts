import type { Stopped } from '@svc/contract/chat';
import type { EndUserConversation, EndUserConversationDetail, VisitorMessage } from '@svc/contract/end-users';
import { ownConversation, ownConversations } from '../../conversations/conversations.service.ts';
import type { EndUserPrincipal, Sender, WidgetPrincipal } from '../../http/end-user.ts';
import { AppError } from '../../lib/app-error.ts';
import type { NanoUsd } from '../../lib/money.ts';
import { addressGroup } from '../../limits/address-group.ts';
import { createMemoryCounter } from '../../limits/memory-counter.ts';
import type { Services } from '../../services.ts';
import type { AcceptedTurn, SendOptions } from '../../turns/turns.service.ts';
import type { WidgetService } from '../widgets.service.ts';
import { createVisitorTokens, type VisitorTokenDependencies } from './visitor-tokens.ts';

export interface VisitorDependencies
  extends VisitorTokenDependencies,
    Pick<Services, 'box' | 'caps' | 'endUserView' | 'turns'> {
  widgets: VisitorTokenDependencies['widgets'] & Pick<WidgetService, 'welcomeMessageOf' | 'getFull'>;
}

export type VisitorService = ReturnType<typeof createVisitorService>;

const maxListed = 20;

/** What visitors of pages with a widget can do. They are end users whose tokens a widget key has issued. */
export function createVisitorService(dependencies: VisitorDependencies) {
  const { widgets, caps, turns, endUserView, box } = dependencies;
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

  return {
    issueToken: createVisitorTokens(dependencies),

    /** Throws RATE_LIMITED for a visitor that requests too much. */
    countRequest: (visitor: EndUserPrincipal): Promise<void> => rates.countRequest(nameOf(visitor)),

    /** The same for callers without a token, by their network. */
    countAddress: (address: string, keyId: string): Promise<void> =>
      rates.countRequest(`${keyId} address ${addressGroup(address, box.keyedHash)}`),

    /** Throws RATE_LIMITED for a visitor that is known to be over a limit, without reading anything. */
    async refuseKnown(visitor: EndUserPrincipal, idempotencyKey: string | undefined): Promise<void> {
      caps.refuseKnown(await senderOf(visitor, idempotencyKey));
    },

    /** The newest ones. */
    async listConversations(visitor: EndUserPrincipal): Promise<EndUserConversation[]> {
      const query = ownConversations(visitor, { limit: maxListed });
      return (await endUserView.list(visitor.workspaceId, query)).conversations;
    },

    getConversation: (visitor: EndUserPrincipal, id: string): Promise<EndUserConversationDetail> =>
      endUserView.get(visitor.workspaceId, ownConversation(visitor, { conversation_id: id })),

    startOfReading: (visitor: EndUserPrincipal, id: string, lastSeen: number | undefined): Promise<number> =>
      turns.startOfReading(visitor.workspaceId, ownConversation(visitor, { conversation_id: id }), lastSeen),

    async startOfRepeat(visitor: EndUserPrincipal, accepted: AcceptedTurn, lastSeen: number | undefined) {
      await turns.requireConversation(visitor.workspaceId, ownConversation(visitor, accepted));
      return turns.startOfRepeat(visitor.workspaceId, accepted, lastSeen);
    },

    async stop(visitor: EndUserPrincipal, id: string): Promise<Stopped> {
      await turns.requireConversation(visitor.workspaceId, ownConversation(visitor, { conversation_id: id }));
      return turns.stop(visitor.workspaceId, id, 'user');
    },

    /** Throws unless the widget has a microphone. Counts the call as a message, against the same limits. */
    async beginCall<Result>(
      visitor: EndUserPrincipal,
      idempotencyKey: string | undefined,
      begin: () => Promise<Result>,
    ): Promise<Result> {
      const { look } = await widgets.getFull(visitor.workspaceId, visitor.issuerId);
      if (!look?.voiceEnabled) {
        throw new AppError('VOICE_DISABLED', {
          message: 'This widget has no microphone: set voice_enabled in its customization.',
        });
      }
      return caps.during(await senderOf(visitor, idempotencyKey), (refusal) => {
        if (refusal) throw refusal;
        return begin();
      });
    },

    /** Whether a call that has cost so much may continue: its cost is in the visitor's usage only when it is over. */
    async mayContinue(
      { workspaceId, keyId }: Pick<WidgetPrincipal, 'workspaceId' | 'keyId'>,
      externalUserId: string,
      cost: NanoUsd,
    ): Promise<boolean> {
      const { visitorMessagesPerHour, visitorUsdPerDay } = await widgets.keySettings(workspaceId, keyId);
      const limits = { messagesPerHour: visitorMessagesPerHour, usdPerDay: visitorUsdPerDay };
      return caps.mayCostMore({ workspaceId, externalUserId, caps: limits }, cost);
    },

    async send(
      visitor: EndUserPrincipal,
      message: VisitorMessage,
      options: Omit<SendOptions, 'channel' | 'greeting'> & { idempotencyKey: string | undefined },
    ): Promise<AcceptedTurn> {
      const { workspaceId, externalUserId, botId, channel, issuerId: keyId } = visitor;
      const { idempotencyKey, ...given } = options;
      const isNew = message.conversation_id === undefined;
      const welcome = isNew ? await widgets.welcomeMessageOf({ workspaceId, keyId }) : null;
      const sent = { ...message, ...(botId !== null && { bot_id: botId }), external_user_id: externalUserId };
      return caps.during(await senderOf(visitor, idempotencyKey), (refusal) =>
        turns.send(workspaceId, sent, {
          ...given,
          channel,
          isEndUser: true,
          refusal,
          // Where the widget shows no welcome message, the bot's own greeting must not appear either.
          greeting: welcome ?? '',
        }),
      );
    },
  };
}

function nameOf({ issuerId, externalUserId }: EndUserPrincipal): string {
  return `${issuerId} ${externalUserId}`;
}

const requestsPerMinute = 240;

/** Bounds what one visitor can request of this process. A visitor is named by any unique text. */
function createVisitorRates() {
  const counter = createMemoryCounter();

  return {
    /** Throws RATE_LIMITED above 240 requests a minute. */
    async countRequest(visitor: string): Promise<void> {
      const quota = { name: visitor, limit: requestsPerMinute, windowSeconds: 60 };
      const { isAdmitted, millisecondsLeft } = await counter.add([quota]);
      if (isAdmitted) return;
      const seconds = Math.max(1, Math.ceil(millisecondsLeft / 1_000));
      throw new AppError('RATE_LIMITED', {
        message: `More than ${requestsPerMinute} requests within a minute: wait ${seconds} seconds.`,
        details: [{ limit: 'visitor_requests_per_minute', value: requestsPerMinute }],
        retryAfterSeconds: seconds,
      });
    },
  };
}
