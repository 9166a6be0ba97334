import type { CallDirection } from '@svc/contract/calls';
import type { BotRow } from '../../bots/bots.service.ts';
import type { Transaction } from '../../database/database.ts';
import { AppError } from '../../lib/app-error.ts';
import { newId } from '../../lib/new-id.ts';
import { limitOf } from '../../limits/workspace-limits.ts';
import type { Services } from '../../services.ts';
import type { VoiceCallRow } from '../../voice-calls/records/call-records.service.ts';
import { type CallHoldDependencies, holdOf, quoteOfStart } from './call-hold.ts';
import type { SpeechUse } from './cost-of-use.ts';

export interface CallToOpen {
  workspaceId: string;
  /** Active. */
  bot: BotRow;
  direction: CallDirection;
  transport: VoiceCallRow['transport'];
  networkId?: string;
  networkBranch?: string | undefined;
  from: string | null;
  to: string | null;
  /** The number's own, in place of the bot's. */
  greeting?: string | null;
  ttsVoice?: string | null;
  /** The visitor who calls from a browser. */
  externalUserId?: string | null;
  sessionTokenHash?: Buffer;
  /** A shorter limit than the bot's. */
  maxSeconds?: number;
}

export interface OpenCallDependencies
  extends CallHoldDependencies,
    Pick<
      Services,
      'callRecords' | 'clock' | 'conversations' | 'database' | 'dialing' | 'noteChange' | 'workspaces'
    > {
  /** The providers that a call would use, by name. */
  speechOf(call: CallToOpen): SpeechUse;
  /** Records what runs after a call, in the transaction that ends it. */
  plan(tx: Transaction, call: Pick<VoiceCallRow, 'id' | 'workspaceId' | 'botId'>): Promise<void>;
}

export type OpenPhoneCall = ReturnType<typeof createOpenCall>;

/** Bots that have no limit of their own. */
const defaultMaxSeconds = 3_600;
/** How long a call may take until it is connected. */
const connectSeconds = 120;
/** An estimate: it is unknown when one of the others will end. */
const retryAfterSeconds = 30;
const channel = 'voice';

/**
 * Returns a function that writes a call and its conversation, and sets aside the money for its first minute. A call that cannot be
 * paid for ends immediately: its record shows why. It throws RATE_LIMITED when the workspace has as many calls as it may have, or has
 * placed too many.
 */
export function createOpenCall(dependencies: OpenCallDependencies) {
  const { database, callRecords, workspaces, dialing, conversations, plan, noteChange, clock } = dependencies;
  const { billing, creditOf, prices, nodeId, speechOf } = dependencies;

  /** Calls of a workspace begin one after another, so that they cannot exceed its limit together. */
  async function requireCapacity(tx: Transaction, { workspaceId, direction }: CallToOpen): Promise<void> {
    const { limits } = await workspaces.lockPlan(tx, workspaceId);
    if (direction === 'outbound') await dialing.requireNext(tx, workspaceId, limits);
    const limit = limitOf(limits, 'calls');
    if (limit === null || (await callRecords.countOpen(tx, workspaceId)) < limit) return;
    throw new AppError('RATE_LIMITED', {
      message: `The workspace's limit of ${limit} calls in progress is reached. Try again when some have ended; an operator can change the limit with svc workspaces update --max-calls.`,
      details: [{ limit: 'calls', value: limit }],
      retryAfterSeconds,
    });
  }

  async function reserve(tx: Transaction, id: string, call: CallToOpen, creditUsd: string): Promise<boolean> {
    const { workspaceId } = call;
    const wanted = { spent: 0n, quote: quoteOfStart(prices, { ...call, toNumber: call.to }, speechOf(call)) };
    const isCovered = await billing.renewHold(tx, workspaceId, creditUsd, holdOf(id, nodeId), wanted);
    if (!isCovered) await billing.releaseHold(tx, workspaceId, id);
    return isCovered;
  }

  return async (
    call: CallToOpen,
    within?: (tx: Transaction, row: VoiceCallRow) => Promise<void>,
  ): Promise<VoiceCallRow> => {
    const { workspaceId, bot } = call;
    const creditUsd = await creditOf(workspaceId);
    const id = newId();
    const own = bot.settings.max_call_seconds ?? defaultMaxSeconds;
    const row = await database.within(workspaceId).transaction(async (tx) => {
      await requireCapacity(tx, call);
      const isAffordable = creditUsd === null || (await reserve(tx, id, call, creditUsd));
      if (call.direction === 'outbound' && isAffordable) await dialing.count(tx, workspaceId);
      const endedAt = clock.now();
      const ended = { status: 'ended_by_limit', endReason: 'insufficient_balance', endedAt } as const;
      const externalUserId = call.externalUserId ?? null;
      const conversation = { id, botId: bot.id, channel, externalUserId, title: titleOf(call) } as const;
      await conversations.begin(tx, workspaceId, { ...conversation, metadata: {} });
      const record = {
        id,
        botId: bot.id,
        direction: call.direction,
        transport: call.transport,
        networkId: call.networkId ?? null,
        networkBranch: call.networkBranch ?? null,
        fromNumber: call.from,
        toNumber: call.to,
        greeting: call.greeting ?? null,
        ttsVoice: call.ttsVoice ?? null,
        sessionTokenHash: call.sessionTokenHash ?? null,
        maxSeconds: Math.min(own, call.maxSeconds ?? own),
        ...(isAffordable ? { status: 'queued' as const } : ended),
      };
      const opened = await callRecords.open(tx, workspaceId, record, connectSeconds);
      await within?.(tx, opened);
      if (opened.endedAt) await plan(tx, opened);
      return opened;
    });
    noteChange(workspaceId, 'conversation', id);
    return row;
  };
}

function titleOf({ direction, from, to }: CallToOpen): string {
  switch (direction) {
    case 'inbound':
      return from === null ? 'Call from a hidden number' : `Call from ${from}`;
    case 'outbound':
      return `Call to ${to ?? 'an unknown number'}`;
    case 'web':
      return 'Call from the website';
  }
}
