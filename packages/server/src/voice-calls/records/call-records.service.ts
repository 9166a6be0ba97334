import type { CallEndReason, CallStatus } from '@svc/contract/calls';
import type { Database, Queryable, Transaction } from '../../database/database.ts';
import {
  type LeftCall,
  type NewVoiceCall,
  type NewVoiceCallHook,
  secondsFromNow,
  type VoiceCallHook,
  type VoiceCallHookChange,
  type VoiceCallRow,
  type VoiceCallTurn,
  voiceCallStore,
} from '../voice-calls.store.ts';

export type { LeftCall, VoiceCallHook, VoiceCallHookChange, VoiceCallRow } from '../voice-calls.store.ts';

type CallKey = Pick<VoiceCallRow, 'id' | 'workspaceId'>;

export interface PhoneCallEnd {
  status: CallStatus;
  reason: CallEndReason;
  detail: string | null;
  at: Date;
}

export type CallRecords = ReturnType<typeof createCallRecords>;

/** The records of calls, for the code that places, holds and ends them. */
export function createCallRecords({ database }: { database: Database }) {
  return {
    find(workspaceId: string, callId: string): Promise<VoiceCallRow | undefined> {
      return voiceCallStore.find(database.within(workspaceId), workspaceId, callId);
    },

    /** For networks, which know nothing but the id of a call. */
    findAnywhere(callId: string): Promise<VoiceCallRow | undefined> {
      return voiceCallStore.findAcrossWorkspaces(database.acrossWorkspaces, callId);
    },

    findByNetworkId(
      transport: VoiceCallRow['transport'],
      networkId: string,
    ): Promise<VoiceCallRow | undefined> {
      return voiceCallStore.findByNetworkIdAcrossWorkspaces(database.acrossWorkspaces, transport, networkId);
    },

    /** For pages, which know nothing but the token of their session. */
    findBySession(tokenHash: Buffer): Promise<VoiceCallRow | undefined> {
      return voiceCallStore.findBySessionAcrossWorkspaces(database.acrossWorkspaces, tokenHash);
    },

    /** The caller, if known. */
    callerOf({ workspaceId, id }: CallKey): Promise<string | null> {
      return voiceCallStore.callerOf(database.within(workspaceId), workspaceId, id);
    },

    listOpenOfWeb(tx: Transaction, workspaceId: string, botId: string, externalUserId: string) {
      return voiceCallStore.listOpenWebCalls(tx, workspaceId, botId, externalUserId);
    },

    countOpen(query: Queryable, workspaceId: string): Promise<number> {
      return voiceCallStore.countOpen(query, workspaceId);
    },

    /** A call that is not connected within this time is over. */
    async open(
      tx: Transaction,
      workspaceId: string,
      call: Omit<NewVoiceCall, 'deadlineAt'>,
      withinSeconds: number,
    ): Promise<VoiceCallRow> {
      return voiceCallStore.insert(tx, workspaceId, { ...call, deadlineAt: secondsFromNow(withinSeconds) });
    },

    /** This node places a call that was requested on another; undefined if it was placed already, or is over. */
    claim({ workspaceId, id }: CallKey, nodeId: string): Promise<VoiceCallRow | undefined> {
      return voiceCallStore.claimQueued(database.within(workspaceId), workspaceId, id, nodeId);
    },

    /** False if it rings already, or is past that. */
    async ring({ workspaceId, id }: CallKey): Promise<boolean> {
      const ringing = { status: 'ringing' } as const;
      return (
        (await voiceCallStore.changeOpen(database.within(workspaceId), workspaceId, id, ringing, [
          'queued',
        ])) !== undefined
      );
    },

    /** The line is open on this node, and the call is over after so many seconds; undefined if it was answered or is over. */
    answer(
      { workspaceId, id }: CallKey,
      {
        at,
        nodeId,
        networkId,
        endsWithinSeconds,
      }: { at: Date; nodeId: string; networkId: string | undefined; endsWithinSeconds: number },
    ): Promise<VoiceCallRow | undefined> {
      const deadlineAt = secondsFromNow(endsWithinSeconds);
      const own = networkId === undefined ? {} : { networkId };
      const answered = { status: 'in_progress', answeredAt: at, nodeId, deadlineAt, ...own } as const;
      return voiceCallStore.changeOpen(database.within(workspaceId), workspaceId, id, answered, [
        'queued',
        'ringing',
      ]);
    },

    /** The record, locked until the transaction ends. */
    lock(tx: Transaction, { workspaceId, id }: CallKey): Promise<VoiceCallRow | undefined> {
      return voiceCallStore.lock(tx, workspaceId, id);
    },

    /** What it has cost so far, in all and by what was used. */
    async setCost(
      tx: Transaction,
      { workspaceId, id }: CallKey,
      cost: Pick<VoiceCallRow, 'used' | 'costUsd'>,
    ): Promise<void> {
      await voiceCallStore.change(tx, workspaceId, id, cost);
    },

    async end(tx: Transaction, { workspaceId, id }: CallKey, end: PhoneCallEnd): Promise<void> {
      const { status, reason: endReason, detail: endDetail, at: endedAt } = end;
      await voiceCallStore.change(tx, workspaceId, id, { status, endReason, endDetail, endedAt });
    },

    /** Calls without a node to end them: past their deadline, or held by a node that is gone. */
    listLeft(limit: number): Promise<LeftCall[]> {
      return voiceCallStore.listLeftAcrossWorkspaces(database.acrossWorkspaces, limit);
    },

    async saveTurn({ workspaceId, id }: CallKey, turn: VoiceCallTurn): Promise<void> {
      await voiceCallStore.saveTurn(database.within(workspaceId), workspaceId, id, turn);
    },

    /** False if it has a summary, and nothing was changed. */
    addSummary({ workspaceId, id }: CallKey, summary: string): Promise<boolean> {
      return voiceCallStore.addSummary(database.within(workspaceId), workspaceId, id, summary);
    },

    async planHooks(
      tx: Transaction,
      { workspaceId, id }: CallKey,
      hooks: readonly NewVoiceCallHook[],
    ): Promise<void> {
      await voiceCallStore.insertHooks(tx, workspaceId, id, hooks);
    },

    /** In the order in which they run. */
    listHooks(workspaceId: string, callId: string): Promise<VoiceCallHook[]> {
      return voiceCallStore.listHooks(database.within(workspaceId), workspaceId, callId);
    },

    /** False if the hook no longer has the status that it had, and nothing was changed. */
    changeHook(hook: VoiceCallHook, change: VoiceCallHookChange): Promise<boolean> {
      return voiceCallStore.changeHook(database.within(hook.workspaceId), hook.workspaceId, hook, change);
    },

    /** Calls that ended this long ago and have unfinished hooks, oldest first. */
    listWithOpenHooks(endedSecondsAgo: number, limit: number) {
      return voiceCallStore.listWithOpenHooksAcrossWorkspaces(
        database.acrossWorkspaces,
        endedSecondsAgo,
        limit,
      );
    },
  };
}
