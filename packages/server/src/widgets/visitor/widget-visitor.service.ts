import type { Attachment } from '@svc/contract/attachments';
import type { Branch } from '@svc/contract/branches';
import type { RateAnswer, Stopped } from '@svc/contract/chat';
import type { VisitorDetails } from '@svc/contract/end-user-details';
import type { EndUserConversation, EndUserConversationDetail, VisitorMessage } from '@svc/contract/end-users';
import type { VisitorBranchChoice } from '@svc/contract/widget-visitor';
import type { UploadedFile } from '../../conversations/attachments/attachments.service.ts';
import {
  type ConversationRow,
  ownConversation,
  ownConversations,
} from '../../conversations/conversations.service.ts';
import type { EndUserPrincipal, Sender, WidgetPrincipal } from '../../http/end-user.ts';
import { AppError, invalid } from '../../lib/app-error.ts';
import type { NanoUsd } from '../../lib/money.ts';
import { addressGroup } from '../../limits/address-group.ts';
import { createMemoryCounter } from '../../limits/memory-counter.ts';
import type { Services } from '../../services.ts';
import type { AcceptedTurn, SendOptions } from '../../turns/turns.service.ts';
import type { WidgetService } from '../widgets.service.ts';
import { browserName } from './browser-name.ts';
import { createVisitorTokens, type VisitorTokenDependencies } from './visitor-tokens.ts';

export interface VisitorDependencies
  extends VisitorTokenDependencies,
    Pick<
      Services,
      | 'attachments'
      | 'box'
      | 'branches'
      | 'caps'
      | 'conversations'
      | 'endUserDetails'
      | 'endUserView'
      | 'messageRatings'
      | 'turns'
      | 'typing'
    > {
  widgets: VisitorTokenDependencies['widgets'] & Pick<WidgetService, 'welcomeMessageOf' | 'getFull'>;
}

export type VisitorService = ReturnType<typeof createVisitorService>;

const maxListed = 20;
const maxAddressCharacters = 2_000;

/** What visitors of pages with a widget can do. They are end users whose tokens a widget key has issued. */
export function createVisitorService(dependencies: VisitorDependencies) {
  const { attachments, widgets, caps, branches, conversations, turns, typing } = dependencies;
  const { messageRatings, endUserView, endUserDetails, box } = dependencies;
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

  async function requireFiles({ workspaceId, issuerId }: EndUserPrincipal): Promise<void> {
    const { look } = await widgets.getFull(workspaceId, issuerId);
    if (look?.attachmentsEnabled) return;
    throw new AppError('FORBIDDEN', {
      message: 'Visitors of this widget cannot send files: set attachments_enabled in its customization.',
    });
  }

  /** A conversation of the visitor. */
  function getOwn(visitor: EndUserPrincipal, id: string | undefined): Promise<ConversationRow> {
    if (id === undefined) throw invalid('conversation_id', 'is needed with replaces');
    return conversations.getWanted(visitor.workspaceId, ownConversation(visitor, { conversation_id: id }));
  }

  return {
    issueToken: createVisitorTokens(dependencies),

    /** Throws RATE_LIMITED for a visitor that requests too much. */
    countRequest: (visitor: EndUserPrincipal): Promise<void> => rates.count(nameOf(visitor), 'requests'),

    /** The same for one that says too often where they are. */
    countDetails: (visitor: EndUserPrincipal): Promise<void> => rates.count(nameOf(visitor), 'details'),

    /** The same for one that rates answers or chooses branches too often. */
    countChange: (visitor: EndUserPrincipal): Promise<void> => rates.count(nameOf(visitor), 'changes'),

    /** The same for callers without a token, by their network. */
    countAddress: (address: string, keyId: string): Promise<void> =>
      rates.count(`${keyId} address ${addressGroup(address, box.keyedHash)}`, 'requests'),

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

    noteTyping: (visitor: EndUserPrincipal, id: string): Promise<void> =>
      typing.byUser(visitor.workspaceId, ownConversation(visitor, { conversation_id: id })),

    /** Counts an upload before it is read, by the network: a visitor costs nothing. */
    async countUpload(visitor: EndUserPrincipal, address: string): Promise<void> {
      await rates.count(nameOf(visitor), 'requests');
      await rates.count(`${visitor.issuerId} address ${addressGroup(address, box.keyedHash)}`, 'uploads');
      await requireFiles(visitor);
    },

    upload: ({ workspaceId, externalUserId }: EndUserPrincipal, file: UploadedFile): Promise<Attachment> =>
      attachments.upload(workspaceId, externalUserId, file),

    openAttachment(visitor: EndUserPrincipal, id: string) {
      const own = (conversation_id: string) => ownConversation(visitor, { conversation_id });
      return attachments.open(visitor.workspaceId, id, { own, externalUserId: visitor.externalUserId });
    },

    rate: (visitor: EndUserPrincipal, { conversation_id, message_id: messageId, ...given }: RateAnswer) =>
      messageRatings.rate(visitor.workspaceId, ownConversation(visitor, { conversation_id }), {
        messageId,
        ...given,
      }),

    /** What the visitor and their browser say of themselves. */
    saveDetails(
      { workspaceId, externalUserId }: EndUserPrincipal,
      { botId, host }: Pick<WidgetPrincipal, 'botId' | 'host'>,
      { name, email, page_url: address, page_title: pageTitle }: VisitorDetails,
      userAgent: string | undefined,
    ): Promise<void> {
      const pageUrl = address === undefined ? undefined : pageAddress(address, host);
      const browser = browserName(userAgent);
      return endUserDetails.report(
        { workspaceId, externalUserId, botId },
        { name, email, pageUrl, pageTitle, browser },
      );
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

    /** The branches of one of the visitor's conversations. */
    async listBranches(visitor: EndUserPrincipal, id: string): Promise<Branch[]> {
      return branches.list(await getOwn(visitor, id));
    },

    async chooseBranch(visitor: EndUserPrincipal, choice: VisitorBranchChoice): Promise<void> {
      const { conversation_id: id, branch_id } = choice;
      await branches.choose(await getOwn(visitor, id), { branch_id });
    },

    async send(
      visitor: EndUserPrincipal,
      message: VisitorMessage,
      options: Omit<SendOptions, 'channel' | 'greeting'> & { idempotencyKey: string | undefined },
    ): Promise<AcceptedTurn> {
      const { workspaceId, externalUserId, botId, channel, issuerId: keyId } = visitor;
      const { idempotencyKey, ...given } = options;
      const { replaces, ...written } = message;
      if (message.attachments) await requireFiles(visitor);
      if (replaces !== undefined) {
        if (message.attachments)
          throw invalid('attachments', 'cannot be sent with replaces: the message keeps its files');
        const row = await getOwn(visitor, message.conversation_id);
        const wanted = { messageId: replaces, content: message.message };
        return caps.during(await senderOf(visitor, idempotencyKey), (refusal) =>
          turns.answerAgain(row, wanted, { ...given, isEndUser: true, refusal }),
        );
      }
      const isNew = message.conversation_id === undefined;
      const welcome = isNew ? await widgets.welcomeMessageOf({ workspaceId, keyId }) : null;
      const sent = { ...written, ...(botId !== null && { bot_id: botId }), external_user_id: externalUserId };
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

/** Where on the site a page is, without what may be secret. Whoever sends it can be on another page of the site, but not on another site. */
function pageAddress(address: string, host: string): string {
  const url = URL.parse(address);
  const page = url && `${url.origin}${url.pathname}`;
  if (!page || !/^https?:$/.test(url.protocol) || url.host !== host || page.length > maxAddressCharacters)
    throw invalid(
      'page_url',
      `must be an http or https address of ${host}, of at most ${maxAddressCharacters} characters`,
    );
  return page;
}

function nameOf({ issuerId, externalUserId }: EndUserPrincipal): string {
  return `${issuerId} ${externalUserId}`;
}

/** Details and changes are written, and announced to consoles. */
const perMinute = { requests: 240, details: 20, changes: 30, uploads: 10 };

/** Bounds what one visitor can request of this process. A visitor is named by any unique text. */
function createVisitorRates() {
  const counter = createMemoryCounter();

  return {
    /** Throws RATE_LIMITED above so many a minute. */
    async count(visitor: string, what: keyof typeof perMinute): Promise<void> {
      const limit = perMinute[what];
      const quota = { name: `${visitor} ${what}`, limit, windowSeconds: 60 };
      const { isAdmitted, millisecondsLeft } = await counter.add([quota]);
      if (isAdmitted) return;
      const seconds = Math.max(1, Math.ceil(millisecondsLeft / 1_000));
      throw new AppError('RATE_LIMITED', {
        message: `More than ${limit} ${what} within a minute: wait ${seconds} seconds.`,
        details: [{ limit: `visitor_${what}_per_minute`, value: limit }],
        retryAfterSeconds: seconds,
      });
    },
  };
}
