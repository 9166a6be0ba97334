import type { CallEndReason, CallStatus } from '@svc/contract/calls';
import type { Transcript } from '../../conversations/transcript/transcript.service.ts';
import type { Transaction } from '../../database/database.ts';
import { notFound } from '../../lib/app-error.ts';
import type { Log } from '../../lib/log.ts';
import { type CommandKind, otherNodes } from '../../nodes/node-commands.ts';
import type { Services } from '../../services.ts';
import { clip } from '../../validation/clip.ts';
import { storable } from '../../validation/storable.ts';
import type { LeftCall, VoiceCallRow } from '../../voice-calls/records/call-records.service.ts';
import type { LineEnd } from '../transports/call-transport.ts';
import { usageOfCall } from './cost-of-use.ts';

/** The status of a call that ended for this reason. */
export function statusOf(reason: CallEndReason): CallStatus {
  switch (reason) {
    case 'caller_hung_up':
    case 'bot_hung_up':
    case 'stopped':
    case 'transferred':
    case 'silence':
      return 'completed';
    case 'no_answer':
    case 'voicemail':
      return 'no_answer';
    case 'busy':
    case 'declined':
      return 'busy';
    case 'max_duration':
    case 'insufficient_balance':
    case 'visitor_limit':
      return 'ended_by_limit';
    case 'not_placed':
    case 'speech_failed':
    case 'bot_failed':
    case 'line_failed':
    case 'node_lost':
    case 'service_stopped':
      return 'failed';
  }
}

/** The reason for which a call ended, by what the network says about its line. */
export const reasonOf: Record<LineEnd['cause'], CallEndReason> = {
  remote_hangup: 'caller_hung_up',
  local_hangup: 'bot_hung_up',
  time_limit: 'max_duration',
  failed: 'line_failed',
  transferred: 'transferred',
  busy: 'busy',
  no_answer: 'no_answer',
  declined: 'declined',
  voicemail: 'voicemail',
};

/** The same for a call that may not have been answered: such a call was not hung up. */
export function reasonOfEnd({ cause }: LineEnd, isAnswered: boolean): CallEndReason {
  const reason = reasonOf[cause];
  return !isAnswered && (reason === 'caller_hung_up' || reason === 'bot_hung_up') ? 'no_answer' : reason;
}

export interface EndCallDependencies
  extends Pick<Services, 'billing' | 'callRecords' | 'clock' | 'database' | 'meters' | 'noteChange'> {
  /** Records what runs after the call, in the transaction that ends it. */
  plan(tx: Transaction, call: Pick<VoiceCallRow, 'id' | 'workspaceId' | 'botId'>): Promise<void>;
}

/** The end of a call whose process died may be noted much later, and clocks differ between nodes. */
export function talkedMs(
  { answeredAt, maxSeconds }: Pick<VoiceCallRow, 'answeredAt' | 'maxSeconds'>,
  at: Date,
): number {
  if (!answeredAt) return 0;
  return Math.min(Math.max(at.getTime() - answeredAt.getTime(), 0), maxSeconds * 1_000);
}

export type EndCall = ReturnType<typeof createEndCall>;

const maxDetail = 500;

/** The detail comes from the network and can be any text. */
function toDetail(detail: string | undefined): string | null {
  return detail === undefined ? null : clip(storable(detail), maxDetail);
}

/** Returns a function that ends a call on its record, once: it returns false if the call was over already. */
export function createEndCall(dependencies: EndCallDependencies) {
  const { database, callRecords, billing, plan, noteChange, clock, meters } = dependencies;
  return async (
    { id, workspaceId }: Pick<VoiceCallRow, 'id' | 'workspaceId'>,
    reason: CallEndReason,
    detail?: string,
    at = clock.now(),
  ): Promise<boolean> => {
    let costUsd = 0;
    const isEnded = await database.within(workspaceId).transaction(async (tx) => {
      const row = await callRecords.lock(tx, { id, workspaceId });
      // Even if the call was deleted with its conversation.
      await billing.releaseHold(tx, workspaceId, id);
      if (!row || row.endedAt) return false;
      await callRecords.end(tx, row, { status: statusOf(reason), reason, detail: toDetail(detail), at });
      const usage = usageOfCall(row, row.used, talkedMs(row, at));
      costUsd = usage.reduce((sum, one) => sum + Number(one.costUsd ?? 0), 0);
      await billing.count(tx, workspaceId, usage);
      await plan(tx, row);
      return true;
    });
    if (!isEnded) return false;
    noteChange(workspaceId, 'conversation', id);
    meters.callsEnded.add(1, reason);
    meters.cost.add(costUsd, 'call');
    return true;
  };
}

export type SureEnds = ReturnType<typeof createSureEnds>;

interface SureEndOptions {
  detail?: string | undefined;
  /** When the call ended, if it is not now. */
  at?: Date | undefined;
  /** In every attempt; the call is ended only if it succeeds, and not with `continues`. */
  before?(): Promise<'continues' | void>;
}

export function createSureEnds({
  endCall,
  clock,
  log,
}: Pick<CallEndsDependencies, 'endCall' | 'clock' | 'log'>) {
  const unended = new Map<string, () => Promise<void>>();

  async function attempt(callId: string): Promise<void> {
    try {
      await unended.get(callId)?.();
      unended.delete(callId);
    } catch (error) {
      log.error({ err: error, call_id: callId }, 'A call could not be ended; the next round tries again.');
    }
  }

  return {
    /** Ends a call on its record. If that fails, as without the database, it is tried again in every round. Never rejects. */
    async end(row: VoiceCallRow, reason: CallEndReason, options: SureEndOptions = {}): Promise<void> {
      const { detail, at = clock.now(), before } = options;
      // The first reason counts.
      if (!unended.has(row.id)) {
        unended.set(row.id, async () => {
          if ((await before?.()) !== 'continues') await endCall(row, reason, detail, at);
        });
      }
      await attempt(row.id);
    },

    /** One attempt at each call that could not be ended. Never rejects. */
    async retry(): Promise<void> {
      for (const callId of unended.keys()) await attempt(callId);
    },
  };
}

type NetworkCall = Pick<VoiceCallRow, 'transport' | 'networkId' | 'dialog'>;

interface CallToEnd {
  callId: string;
  reason: CallEndReason;
  detail?: string | undefined;
  /** Of a call whose line may be nowhere: for the node with the telephone connection. */
  left?: NetworkCall | undefined;
}

/** To the node with the line of a call: only that one knows its last words and what it cost. Answered when the call is over. */
const callToEnd: CommandKind<CallToEnd, boolean> = { name: 'end call' };
/** A request waits this long. The node with the line needs much less, unless it is gone. */
const endedWithinMs = 5_000;

export interface CallEndsDependencies
  extends Pick<Services, 'callRecords' | 'clock' | 'log' | 'nodeCommands' | 'nodeId' | 'turns'> {
  endCall: EndCall;
  /** For calls that continue without a line. Each returns whether the call is one of those. */
  transfers: {
    over(row: VoiceCallRow): Promise<boolean>;
    hangUp(row: VoiceCallRow, reason: 'stopped'): Promise<boolean>;
    sweep(): Promise<void>;
  };
  /** Calls whose lines are on this node. */
  liveCalls: { find(callId: string): LiveTalk | undefined };
  /** Calls whose lines are being connected on this node. */
  connecting: ReadonlyMap<string, Promise<void>>;
  /** Stops the phone of the person who is called from ringing, if this node has placed the call. */
  cancel(callId: string): void;
  /**
   * Ends a call at the network, if that is possible without a line; does nothing if the call is over. False if only another node
   * can, which has the telephone connection or will get it.
   */
  hangUp(call: NetworkCall): Promise<boolean>;
  /** Shortens what the bot was saying to what was heard. */
  transcript: Pick<Transcript, 'cut'>;
}

interface LiveTalk {
  talk: { close(reason: CallEndReason, detail?: string): Promise<void> };
  /** Resolves when the record of the call is complete. */
  ended: Promise<void>;
}

const sweepBatch = 100;
const stoppedBy = 'caller';
/** By then a node has the telephone connection, and has ended the call; if none has, the record is ended without that. */
const connectionWithinMs = 30_000;

export type CallEnds = ReturnType<typeof createCallEnds>;

/** Every way in which a call ends, except by its talk. */
export function createCallEnds(dependencies: CallEndsDependencies) {
  const { endCall, callRecords, transfers, liveCalls, connecting, cancel, hangUp, nodeCommands, log } =
    dependencies;
  const sureEnds = createSureEnds(dependencies);
  const stopListening = nodeCommands.handle(callToEnd, async ({ callId, reason, detail, left }) => {
    const isEnded = await endHere(callId, reason, detail);
    if (!isEnded) cancel(callId);
    if (!isEnded && left) await hangUp(left);
    return isEnded;
  });
  const guarded = createGuard(log);
  /** Since when calls wait for the node with the telephone connection. */
  let waitingSince = new Map<string, number>();

  /** False if the line is not here. */
  async function endHere(callId: string, reason: CallEndReason, detail?: string): Promise<boolean> {
    await connecting.get(callId);
    const live = liveCalls.find(callId);
    if (!live) return false;
    await live.talk.close(reason, detail);
    await live.ended;
    return true;
  }

  /** False if no other node has the line, or if that does not end the call in time. */
  async function endElsewhere({ id, nodeId }: VoiceCallRow, reason: CallEndReason, detail?: string) {
    if (nodeId === null || nodeId === dependencies.nodeId) return false;
    const command = { callId: id, reason, detail };
    return (await nodeCommands.ask(callToEnd, nodeId, command, endedWithinMs)) ?? false;
  }

  /** Whether the node with the telephone connection is still expected to end this call. */
  function waits({ id }: LeftCall): boolean {
    const now = dependencies.clock.now().getTime();
    const since = waitingSince.get(id) ?? now;
    waitingSince.set(id, since);
    return now - since < connectionWithinMs;
  }

  /** Whether it may have an open turn. */
  async function endLeft(row: LeftCall): Promise<boolean> {
    if (row.status === 'in_progress') {
      // A caller who was being transferred may still be talking without our line, until the network's own limit.
      const isHungUp = await hangUp(row).catch((error: unknown) => {
        if (!row.isLate) throw error;
        log.warn({ err: error, call_id: row.id }, 'The network did not end a call that is over by now.');
        return true;
      });
      if (!isHungUp && waits(row)) return false;
      for (const { messageId, heard } of row.playing ?? [])
        await dependencies.transcript.cut(row.workspaceId, row.id, { messageId, heard });
      return endCall(row, row.isLate ? 'max_duration' : 'node_lost');
    }
    await endCall(row, row.isLate ? 'no_answer' : 'node_lost', 'The call was never connected.');
    return false;
  }

  return {
    ...sureEnds,

    /** The network reports the end of a call. Never rejects. */
    ended: (callId: string, end: LineEnd): Promise<void> =>
      guarded('A call could not be ended.', undefined, async () => {
        const live = liveCalls.find(callId);
        if (live) await live.talk.close(reasonOf[end.cause], end.detail);
        if (live && end.cause !== 'transferred') return;
        // The person who is called may hang up just when the caller is transferred to them.
        await live?.ended;
        const row = await callRecords.findAnywhere(callId);
        if (!row || row.endedAt || (await transfers.over(row))) return;
        const reason = reasonOfEnd(end, row.answeredAt !== null);
        if (row.status === 'in_progress') {
          // The node that has the line ends it. It does not know about voicemail.
          if (end.cause !== 'voicemail' || (await endElsewhere(row, reason, end.detail))) return;
        }
        await sureEnds.end(row, reason, { detail: end.detail });
      }),

    /** Resolves when a call is over, on whichever node its line is. Harmless if it was; throws NOT_FOUND for unknown ones. */
    async stopCall(workspaceId: string, callId: string): Promise<void> {
      const row = await callRecords.find(workspaceId, callId);
      if (!row) throw notFound();
      const reason = 'stopped';
      if (await transfers.hangUp(row, reason)) return;
      if (
        (await endHere(callId, reason)) ||
        (row.status === 'in_progress' && (await endElsewhere(row, reason)))
      ) {
        // Its caller may just have been transferred, and talks on without the line.
        await transfers.hangUp(row, reason);
        return;
      }
      if (!(await endCall(row, reason))) return;
      cancel(callId);
      const { transport, networkId, dialog } = row;
      const left = row.status === 'in_progress' ? { transport, networkId, dialog } : undefined;
      const isHungUp = !left || (await guarded('The network did not end a call.', true, () => hangUp(left)));
      // Another node may have placed the call, which may have been answered meanwhile, or have the telephone connection.
      nodeCommands.send(callToEnd, otherNodes, { callId, reason, left: isHungUp ? undefined : left });
    },

    /** Periodically: ends calls that were left without a line. */
    async sweep(): Promise<void> {
      await sureEnds.retry();
      await guarded('Transferred calls could not be checked.', undefined, () => transfers.sweep());
      const talking: VoiceCallRow[] = [];
      const all = await callRecords.listLeft(sweepBatch);
      waitingSince = new Map([...waitingSince].filter(([id]) => all.some((row) => row.id === id)));
      for (const row of all) {
        if (liveCalls.find(row.id) || connecting.has(row.id)) continue;
        // One that cannot be ended must not keep the others open.
        if (await guarded('A call that was left could not be ended.', false, () => endLeft(row)))
          talking.push(row);
      }
      // A reply that another node is still writing would not be heard.
      const stopTurn = ({ workspaceId, id }: VoiceCallRow) =>
        guarded('The turn of a call that was left could not be stopped.', undefined, async () => {
          await dependencies.turns.stop(workspaceId, id, stoppedBy);
        });
      await Promise.all(talking.map(stopTurn));
    },

    /** Stops listening to other nodes. */
    stop: stopListening,
  };
}

/** Runs work whose failure is only logged. */
export function createGuard(log: Log) {
  return async <Result>(what: string, fallback: Result, work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      log.error({ err: error }, what);
      return fallback;
    }
  };
}
