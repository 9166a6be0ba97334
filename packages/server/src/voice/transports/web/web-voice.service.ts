import type { BotSettings } from '@svc/contract/bots';
import type { Call } from '@svc/contract/calls';
import type { VisitorVoiceUsage, VoiceSession, VoiceUsage } from '@svc/contract/voice-sessions';
import type { Transaction } from '../../../database/database.ts';
import type { EndUserPrincipal, RevocablePerson, WidgetPrincipal } from '../../../http/end-user.ts';
import type { RecordAnswer } from '../../../idempotency/idempotency.service.ts';
import { AppError, notFound } from '../../../lib/app-error.ts';
import { formatUsd, type NanoUsd, parseUsd } from '../../../lib/money.ts';
import { hashKey, looksLikeKey, makeKey } from '../../../secrets/bearer-key.ts';
import type { Services } from '../../../services.ts';
import type { VoiceCallRow } from '../../../voice-calls/records/call-records.service.ts';
import type { OpenPhoneCall } from '../../exchange/open-call.ts';
import type { Exchange, MayContinue } from '../call-transport.ts';
import { createWebLine, type PageHandlers, type PagePeer } from './create-web-line.ts';

export interface WebVoiceDependencies
  extends Pick<Services, 'billing' | 'bots' | 'callRecords' | 'clock' | 'log' | 'voiceCalls'> {
  creditOf(workspaceId: string): Promise<string | null>;
  openCall: OpenPhoneCall;
  exchange: Pick<Exchange, 'connected' | 'ended'>;
  /** True, or why this bot cannot hear or speak. */
  isVoiceAvailable(settings: BotSettings): true | string;
  /** What widgets know of their visitors. */
  visitors: VisitorCalls;
  endUsers: { requireCurrentIn(tx: Transaction, visitor: RevocablePerson): Promise<void> };
}

export interface VisitorCalls {
  /** Throws unless the widget has a microphone. Counts the call as a message, against the same limits. */
  beginCall<Result>(
    visitor: EndUserPrincipal,
    idempotencyKey: string | undefined,
    begin: () => Promise<Result>,
  ): Promise<Result>;
  /** Whether the visitor may continue a call that has cost this much. */
  mayContinue(widget: WidgetPrincipal, externalUserId: string, cost: NanoUsd): Promise<boolean>;
}

export type WebVoiceService = ReturnType<typeof createWebVoiceService>;

const tokenPrefix = 'svc_vs_';
/** How long a page has to open the connection. */
const connectMilliseconds = 60_000;
const maxSeconds = 15 * 60;
/** Of all visitors of a bot. */
const maxOpenCalls = 20;
const policyViolation = 1008;

/** Calls from the microphones of browsers. */
export function createWebVoiceService(dependencies: WebVoiceDependencies) {
  const { callRecords, bots, exchange, visitors, clock, log } = dependencies;

  /**
   * Returns the visitor's calls that were never connected, which the new one replaces. Calls of a workspace begin one after
   * another, so no other request counts at the same time.
   */
  async function makeRoom(tx: Transaction, visitor: EndUserPrincipal, newId: string): Promise<string[]> {
    const { workspaceId, externalUserId } = visitor;
    const botId = botOf(visitor);
    const all = await callRecords.listOpenOfWeb(tx, workspaceId, botId, externalUserId);
    const others = all.filter(({ id }) => id !== newId);
    const own = others.filter(({ isOwn }) => isOwn);
    if (own.some(({ status }) => status !== 'queued')) throw tooMany('voice_sessions_per_visitor', 1);
    if (others.length - own.length >= maxOpenCalls) throw tooMany('voice_sessions_per_bot', maxOpenCalls);
    return own.map(({ id }) => id);
  }

  async function open(visitor: EndUserPrincipal, record: RecordAnswer<VoiceSession>): Promise<VoiceSession> {
    const { workspaceId, externalUserId } = visitor;
    const bot = await bots.getRow(workspaceId, botOf(visitor));
    // What is missing is for the site's owner; visitors cannot change it.
    if (dependencies.isVoiceAvailable(bot.settings) !== true) {
      throw new AppError('VOICE_DISABLED', { message: 'This bot cannot hear or speak at the moment.' });
    }
    const token = makeKey(tokenPrefix);
    const expiresAt = new Date(clock.now().getTime() + connectMilliseconds);
    let replaced: string[] = [];
    let session: VoiceSession | undefined;
    await dependencies.openCall(
      {
        workspaceId,
        bot,
        direction: 'web',
        transport: 'web',
        from: null,
        to: null,
        externalUserId,
        sessionTokenHash: hashKey(token),
        maxSeconds,
      },
      async (tx, row) => {
        await dependencies.endUsers.requireCurrentIn(tx, visitor);
        replaced = await makeRoom(tx, visitor, row.id);
        // Leaves no record, like a message that cannot be paid for: visitors press the button again and again.
        if (row.endedAt) throw new AppError('INSUFFICIENT_BALANCE');
        session = {
          session_token: token,
          conversation_id: row.id,
          expires_at: expiresAt.toISOString(),
          max_seconds: row.maxSeconds,
        };
        await record(tx, session);
      },
    );
    if (!session) throw new Error('The call was opened without its session.');
    for (const id of replaced) {
      await exchange.ended(id, { cause: 'no_answer', detail: 'The visitor began another call.' });
    }
    return session;
  }

  async function find(token: string): Promise<VoiceCallRow | undefined> {
    if (!looksLikeKey(tokenPrefix, token)) return undefined;
    return callRecords.findBySession(hashKey(token));
  }

  async function usageOf(
    row: VoiceCallRow,
    token: string,
  ): Promise<VisitorVoiceUsage & { cost: Pick<Call, 'cost_usd' | 'unpriced_models'> }> {
    const call = (await dependencies.voiceCalls.ofConversations(row.workspaceId, [row.id])).get(row.id);
    if (!call) throw notFound();
    return {
      session_token: token,
      bot_id: row.botId,
      status: call.status,
      started_at: call.answered_at,
      seconds: call.duration_seconds,
      max_seconds: row.maxSeconds,
      cost: { cost_usd: call.cost_usd, unpriced_models: call.unpriced_models },
    };
  }

  return {
    start: (
      visitor: EndUserPrincipal,
      idempotencyKey: string | undefined,
      record: RecordAnswer<VoiceSession>,
    ): Promise<VoiceSession> => visitors.beginCall(visitor, idempotencyKey, () => open(visitor, record)),

    /** The call that a page may connect now. */
    async findToConnect({ workspaceId, botId }: WidgetPrincipal, token: string): Promise<VoiceCallRow> {
      const row = await find(token);
      if (row?.workspaceId !== workspaceId || row.botId !== botId) throw notFound();
      const isLate = row.createdAt.getTime() + connectMilliseconds < clock.now().getTime();
      if (row.status !== 'queued' || isLate) {
        throw new AppError('NOT_FOUND', {
          message: 'This session token was used already or has expired: create another session.',
        });
      }
      return row;
    },

    /** The visitor whose call it is. If they were revoked after the call was created, it must end like their tokens. */
    async visitorOf(row: VoiceCallRow): Promise<RevocablePerson> {
      const externalUserId = await callRecords.callerOf(row);
      if (externalUserId === null) throw notFound();
      return { workspaceId: row.workspaceId, externalUserId, lastRevoked: row.createdAt.getTime() };
    },

    /** `watch` calls back when the page may no longer use its widget or its visitor was revoked, until the returned function is called. */
    connect(
      row: VoiceCallRow,
      widget: WidgetPrincipal,
      peer: PagePeer,
      watch: (end: () => void) => () => void,
    ): PageHandlers {
      const mayContinue: MayContinue = async (cost) => {
        const visitor = await callRecords.callerOf(row);
        return visitor === null || visitors.mayContinue(widget, visitor, cost);
      };
      const { line, handlers } = createWebLine(peer);
      const unwatch = watch(() => line.hangUp());
      // Of two connections with the same token, only one becomes the call.
      callRecords
        .ring(row)
        .then((isOurs) =>
          isOurs
            ? exchange.connected(row.id, line, mayContinue)
            : peer.close(policyViolation, 'This token was used already.'),
        )
        .catch((error: unknown) => {
          log.error({ err: error, call_id: row.id }, 'A call from a browser could not be connected.');
          line.hangUp();
        });
      return {
        onFrame: handlers.onFrame,
        onClose() {
          unwatch();
          handlers.onClose();
        },
      };
    },

    async usage(workspaceId: string, token: string): Promise<VoiceUsage> {
      const row = await find(token);
      if (row?.workspaceId !== workspaceId) throw notFound();
      const { cost, ...usage } = await usageOf(row, token);
      const credit = await dependencies.creditOf(workspaceId);
      const balance =
        credit === null ? null : parseUsd(credit) - (await dependencies.billing.account(workspaceId)).spent;
      return { ...usage, ...cost, balance_usd: balance === null ? null : formatUsd(balance) };
    },

    async usageOfVisitor(visitor: EndUserPrincipal, token: string): Promise<VisitorVoiceUsage> {
      const { workspaceId, externalUserId } = visitor;
      const row = await find(token);
      if (row?.workspaceId !== workspaceId || row.botId !== visitor.botId) throw notFound();
      if ((await callRecords.callerOf(row)) !== externalUserId) throw notFound();
      const { cost: _cost, ...usage } = await usageOf(row, token);
      return usage;
    },
  };
}

function botOf({ botId }: EndUserPrincipal): string {
  if (botId === null) throw notFound();
  return botId;
}

function tooMany(limit: string, value: number): AppError {
  return new AppError('RATE_LIMITED', {
    message: `There can be ${value} of these calls at the same time: try again when one has ended.`,
    details: [{ limit, value }],
    retryAfterSeconds: 30,
  });
}
