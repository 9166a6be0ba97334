import type { Call, CallDetail } from '@svc/contract/calls';
import { noCost, sumCosts } from '../billing/billing.service.ts';
import type { Transaction } from '../database/database.ts';
import { parseUsd } from '../lib/money.ts';
import type { Services } from '../services.ts';
import { type VoiceCallRow, voiceCallStore } from './voice-calls.store.ts';
import { toWireCall, toWireHook, toWireMark, toWireTurn } from './voice-calls.wire.ts';

export type { VoiceCallRow } from './voice-calls.store.ts';
export type VoiceCallService = ReturnType<typeof createVoiceCallService>;

/** The records of calls, as their conversations show them. */
export function createVoiceCallService({
  database,
  billing,
  callRecordings,
  clock,
}: Pick<Services, 'billing' | 'callRecordings' | 'clock' | 'database'>) {
  async function toWire(workspaceId: string, rows: readonly VoiceCallRow[]): Promise<Map<string, Call>> {
    const ids = rows.map(({ id }) => id);
    const [usage, recordings] = await Promise.all([
      billing.usageOfConversations(workspaceId, ids),
      callRecordings.lengthsOf(workspaceId, ids),
    ]);
    return new Map(
      rows.map((row) => {
        // When a call ends, what it cost becomes part of the usage.
        const running = row.endedAt ? 0n : parseUsd(row.costUsd);
        const cost = sumCosts([usage.get(row.id)?.cost ?? noCost, { usd: running, unpriced: [] }]);
        const recordingMs = recordings.get(row.id);
        return [row.id, toWireCall(row, { cost, recordingMs, now: clock.now() })];
      }),
    );
  }

  return {
    /** The calls of these conversations, by conversation. */
    async ofConversations(
      workspaceId: string,
      conversationIds: readonly string[],
    ): Promise<Map<string, Call>> {
      if (conversationIds.length === 0) return new Map();
      return toWire(
        workspaceId,
        await voiceCallStore.list(database.within(workspaceId), workspaceId, conversationIds),
      );
    },

    /**
     * Removes what a call's record has of removed messages, and its whole recording, in which they can be heard. Does nothing for
     * other conversations.
     */
    async truncate(
      tx: Transaction,
      workspaceId: string,
      conversationId: string,
      turnIds: readonly string[],
    ): Promise<void> {
      await voiceCallStore.truncate(tx, { workspaceId, id: conversationId }, turnIds);
      await callRecordings.delete(tx, workspaceId, conversationId);
    },

    /** The same for one, with its turns and what ran after it. */
    async detailOf(workspaceId: string, conversationId: string): Promise<CallDetail | undefined> {
      const row = await voiceCallStore.find(database.within(workspaceId), workspaceId, conversationId);
      const call = row && (await toWire(workspaceId, [row])).get(row.id);
      if (!call) return undefined;
      const turns = await voiceCallStore.listTurns(database.within(workspaceId), workspaceId, conversationId);
      const hooks = await voiceCallStore.listHooks(database.within(workspaceId), workspaceId, conversationId);
      const recording = await callRecordings.find(workspaceId, conversationId);
      const marks = recording?.marks.map(toWireMark) ?? [];
      return { ...call, recording_marks: marks, turns: turns.map(toWireTurn), hooks: hooks.map(toWireHook) };
    },
  };
}
