import type { CallDirection } from '@svc/contract/calls';
import type { BotRow } from '../../bots/service.ts';
import type { Clock } from '../../clock.ts';
import type { ConversationService } from '../../conversations/service.ts';
import type { Database, Transaction } from '../../database/database.ts';
import { newId } from '../../new-id.ts';
import { type VoiceCallRow, voiceCallStore } from '../../voice-calls/service.ts';

export interface CallToOpen {
  workspaceId: string;
  /** Active. */
  bot: BotRow;
  direction: CallDirection;
  transport: VoiceCallRow['transport'];
  networkId?: string;
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

export interface OpenCallDependencies {
  database: Database;
  conversations: Pick<ConversationService, 'begin'>;
  /** Whether the workspace can pay for the beginning of a call. */
  canAfford(call: CallToOpen): Promise<boolean>;
  /** Records what runs after a call, in the transaction that ends it. */
  plan(tx: Transaction, call: Pick<VoiceCallRow, 'id' | 'workspaceId' | 'botId'>): Promise<void>;
  clock: Clock;
}

/** Writes a call and its conversation. One that cannot be paid for is over at once: its record shows why. */
export type OpenCall = (
  call: CallToOpen,
  within?: (tx: Transaction, row: { id: string }) => Promise<void>,
) => Promise<VoiceCallRow>;

/** Bots that have no limit of their own. */
const defaultMaxSeconds = 3_600;
/** How long a call may take from here until somebody talks. */
const connectSeconds = 120;
const channel = 'voice';

export function createOpenCall(dependencies: OpenCallDependencies): OpenCall {
  const { database, conversations, canAfford, plan, clock } = dependencies;
  return async (call, within) => {
    const { workspaceId, bot } = call;
    const isAffordable = await canAfford(call);
    const id = newId();
    const now = clock.now();
    const own = bot.settings.max_call_seconds ?? defaultMaxSeconds;
    const ended = { status: 'ended_by_limit', endReason: 'insufficient_balance', endedAt: now } as const;
    return database.transaction(async (tx) => {
      const metadata = {};
      const externalUserId = call.externalUserId ?? null;
      const title = titleOf(call);
      const conversation = { id, botId: bot.id, channel, externalUserId, title, metadata } as const;
      await conversations.begin(tx, workspaceId, conversation);
      await voiceCallStore.insert(tx, workspaceId, {
        id,
        botId: bot.id,
        direction: call.direction,
        transport: call.transport,
        networkId: call.networkId ?? null,
        fromNumber: call.from,
        toNumber: call.to,
        greeting: call.greeting ?? null,
        ttsVoice: call.ttsVoice ?? null,
        sessionTokenHash: call.sessionTokenHash ?? null,
        maxSeconds: Math.min(own, call.maxSeconds ?? own),
        deadlineAt: new Date(now.getTime() + connectSeconds * 1_000),
        ...(isAffordable ? { status: 'queued' } : ended),
      });
      await within?.(tx, { id });
      const row = await voiceCallStore.find(tx, workspaceId, id);
      if (!row) throw new Error('The call was not written.');
      if (row.endedAt) await plan(tx, row);
      return row;
    });
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
