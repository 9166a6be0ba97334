import type { CallEndReason, CallStatus } from '@svc/contract/calls';
import type { StoredDialog } from '@svc/sip/dialog';
import type { Database, Transaction } from '../../database/database.ts';
import {
  type CallKey,
  type NewVoiceCall,
  secondsFromNow,
  type VoiceCallHook,
  type VoiceCallHookChange,
  type VoiceCallRow,
  type VoiceCallTurn,
  voiceCallStore,
} from '../voice-calls.store.ts';
import type { HeardMessage } from '../voice-calls.tables.ts';

export type { LeftCall, VoiceCallHook, VoiceCallHookChange, VoiceCallRow } from '../voice-calls.store.ts';
export type { HeardMessage } from '../voice-calls.tables.ts';

export interface PhoneCallEnd {
  status: CallStatus;
  reason: CallEndReason;
  detail: string | null;
  at: Date;
}

export type CallRecords = ReturnType<typeof createCallRecords>;

/** The records of calls, for the code that places, holds and ends them. */
export function createCallRecords({ database }: { database: Database }) {
  const within = ({ workspaceId }: { workspaceId: string }) => database.within(workspaceId);

  return {
    find: (workspaceId: string, callId: string) =>
      voiceCallStore.find(database.within(workspaceId), workspaceId, callId),

    /** For networks, which know nothing but the id of a call. */
    findAnywhere: (callId: string) => voiceCallStore.findAcrossWorkspaces(database.acrossWorkspaces, callId),

    findByNetworkId: (transport: VoiceCallRow['transport'], networkId: string) =>
      voiceCallStore.findByNetworkIdAcrossWorkspaces(database.acrossWorkspaces, transport, networkId),

    /** For pages, which know nothing but the token of their session. */
    findBySession: (tokenHash: Buffer) =>
      voiceCallStore.findBySessionAcrossWorkspaces(database.acrossWorkspaces, tokenHash),

    callerOf: (call: CallKey) => voiceCallStore.callerOf(within(call), call),
    listOpenOfWeb: voiceCallStore.listOpenWebCalls,
    countOpen: voiceCallStore.countOpen,

    /** A call that is not connected within this time is over. */
    open(
      tx: Transaction,
      workspaceId: string,
      call: Omit<NewVoiceCall, 'deadlineAt'>,
      withinSeconds: number,
    ): Promise<VoiceCallRow> {
      return voiceCallStore.insert(tx, workspaceId, { ...call, deadlineAt: secondsFromNow(withinSeconds) });
    },

    /** This node places a call that was requested on another; undefined if it was placed already, or is over. */
    claim: (call: CallKey, nodeId: string) => voiceCallStore.claimQueued(within(call), call, nodeId),

    /** False if it rings already, or is past that. */
    async ring(call: CallKey): Promise<boolean> {
      const changed = await voiceCallStore.changeOpen(within(call), call, { status: 'ringing' }, ['queued']);
      return changed !== undefined;
    },

    /** The line is open on this node, and the call is over after so many seconds; undefined if it was answered or is over. */
    answer(
      call: CallKey,
      how: {
        at: Date;
        nodeId: string;
        networkId: string | undefined;
        dialog: StoredDialog | undefined;
        endsWithinSeconds: number;
      },
    ): Promise<VoiceCallRow | undefined> {
      const { at, nodeId, networkId, dialog = null, endsWithinSeconds } = how;
      const deadlineAt = secondsFromNow(endsWithinSeconds);
      const own = networkId === undefined ? {} : { networkId };
      const answered = { status: 'in_progress', answeredAt: at, nodeId, deadlineAt, dialog, ...own } as const;
      return voiceCallStore.changeOpen(within(call), call, answered, ['queued', 'ringing']);
    },

    /** How much was heard of what the bot is saying; null while it says nothing. Does nothing once the call is over. */
    async notePlaying(call: CallKey, playing: HeardMessage[] | null): Promise<void> {
      await voiceCallStore.changeOpen(within(call), call, { playing }, ['in_progress']);
    },

    lock: voiceCallStore.lock,

    /** What it has cost so far, in all and by what was used. */
    setCost: (tx: Transaction, call: CallKey, cost: Pick<VoiceCallRow, 'used' | 'costUsd'>) =>
      voiceCallStore.change(tx, call, cost),

    async end(tx: Transaction, call: CallKey, end: PhoneCallEnd): Promise<void> {
      const { status, reason: endReason, detail: endDetail, at: endedAt } = end;
      const unneeded = { dialog: null, playing: null };
      await voiceCallStore.change(tx, call, { status, endReason, endDetail, endedAt, ...unneeded });
    },

    /** Calls without a node to end them: past their deadline, or held by a node that is gone. */
    listLeft: (limit: number) => voiceCallStore.listLeftAcrossWorkspaces(database.acrossWorkspaces, limit),

    saveTurn: (call: CallKey, turn: VoiceCallTurn) => voiceCallStore.saveTurn(within(call), call, turn),

    /** False if it has a summary, and nothing was changed. */
    addSummary: (call: CallKey, summary: string) => voiceCallStore.addSummary(within(call), call, summary),

    planHooks: voiceCallStore.insertHooks,

    /** In the order in which they run. */
    listHooks: (workspaceId: string, callId: string) =>
      voiceCallStore.listHooks(database.within(workspaceId), workspaceId, callId),

    /** False if the hook no longer has the status that it had, and nothing was changed. */
    changeHook: (hook: VoiceCallHook, change: VoiceCallHookChange) =>
      voiceCallStore.changeHook(within(hook), hook, change),

    /** Calls that ended this long ago and have unfinished hooks, oldest first. */
    listWithOpenHooks: (endedSecondsAgo: number, limit: number) =>
      voiceCallStore.listWithOpenHooksAcrossWorkspaces(database.acrossWorkspaces, endedSecondsAgo, limit),
  };
}
