import { createHash } from 'node:crypto';
import { AppError } from '../../lib/app-error.ts';
import { limitOf } from '../../limits/workspace-limits.ts';
import type { Services } from '../../services.ts';
import type { VoiceCallRow } from '../../voice-calls/records/call-records.service.ts';
import type { VoiceNumberService } from '../numbers/phone-numbers.service.ts';
import type { Transfers } from '../transfers/transfers.ts';
import type {
  Exchange,
  Expectation,
  IncomingCall,
  IncomingDecision,
  Refusal,
} from '../transports/call-transport.ts';
import { type ConnectLineDependencies, connectLine, whyTooLate } from './connect-line.ts';
import { type CallEndsDependencies, createCallEnds, createGuard } from './end-call.ts';
import type { CallToOpen, OpenPhoneCall } from './open-call.ts';

export interface ExchangeDependencies
  extends Omit<ConnectLineDependencies, 'transfers'>,
    Pick<CallEndsDependencies, 'endCall' | 'cancel' | 'hangUp' | 'nodeCommands'>,
    Pick<Services, 'idempotency' | 'workspaces'> {
  transfers: Transfers;
  numbers: Pick<VoiceNumberService, 'findByPhone'>;
  openCall: OpenPhoneCall;
}

/** With more lines on one node, delays would be heard: speech is synthesised in real time. */
const maxLines = 200;

/** Knows every call: decides about those that come in, and lets bots talk on the lines of this node. */
export function createExchange(dependencies: ExchangeDependencies) {
  const { callRecords, numbers, openCall, liveCalls, chooseSpeech } = dependencies;
  const { noteChange, log, database, workspaces, idempotency } = dependencies;
  let isStopping = false;
  const guarded = createGuard(log);
  const connecting = new Map<string, Promise<void>>();
  const ends = createCallEnds({ ...dependencies, connecting });

  /** What is known about a call without opening it: a decision, or how it would be opened. */
  async function look(call: IncomingCall): Promise<IncomingDecision | CallToOpen> {
    const { transport, networkId, networkBranch, from, to } = call;
    if (isStopping) return { accept: false, reason: 'unavailable', why: 'The service is stopping.' };
    if (liveCalls.all().length + connecting.size >= maxLines)
      return { accept: false, reason: 'busy', why: `This node has ${maxLines} calls.` };
    const known = await callRecords.findByNetworkId(transport, networkId);
    if (known) return decide(known, networkBranch);
    const answered = await numbers.findByPhone(to);
    if (!answered) return { accept: false, reason: 'unknown_number', why: 'No active bot has this number.' };
    const { number, bot } = answered;
    const { workspaceId, greeting, ttsVoice } = number;
    const speech = chooseSpeech(bot.settings, ttsVoice);
    if ('missing' in speech) return { accept: false, reason: 'unavailable', why: speech.missing };
    const why = whyTooLate(speech);
    if (why !== undefined) return { accept: false, reason: 'busy', why };
    const opening = { workspaceId, bot, direction: 'inbound', greeting, ttsVoice } as const;
    return { ...opening, transport, networkId, networkBranch, from, to };
  }

  async function foresee(call: IncomingCall): Promise<Expectation> {
    const { transport, networkId, networkBranch } = call;
    const release = () => undefined;
    const opening = await look(call);
    if ('accept' in opening) return opening.accept ? { accept: true, release } : opening;
    const { workspaceId } = opening;
    const limit = limitOf((await workspaces.get(workspaceId)).limits, 'calls');
    const open = await callRecords.countOpen(database.within(workspaceId), workspaceId);
    if (limit !== null && open >= limit) return { accept: false, reason: 'busy', why: callLimitReached };
    try {
      const digest = createHash('sha256').update(networkId).digest('base64url');
      // No header contains a line break, so no request of the API has this key.
      const key = `call\n${transport}\n${digest}`;
      const held = await idempotency.hold({ workspaceId, key, fingerprint: networkBranch });
      return { accept: true, release: () => void guarded('A call could not be released.', undefined, held) };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.code === 'IDEMPOTENCY_MISMATCH') return otherBranch;
      // The same request has arrived at a process that may have been lost since.
      if (error.code === 'IDEMPOTENCY_IN_PROGRESS') return { accept: true, release };
      throw error;
    }
  }

  async function take(call: IncomingCall): Promise<IncomingDecision> {
    const { transport, networkId, networkBranch } = call;
    const opening = await look(call);
    if ('accept' in opening) return opening;
    try {
      return decide(await openCall(opening), networkBranch);
    } catch (error) {
      // Networks repeat themselves: the same call may have been opened meanwhile, and be the last that the limit allows.
      const opened = await callRecords.findByNetworkId(transport, networkId);
      if (opened) return decide(opened, networkBranch);
      if (error instanceof AppError && error.code === 'RATE_LIMITED')
        return { accept: false, reason: 'busy', why: callLimitReached };
      throw error;
    }
  }

  /** The number of the caller is theirs, and is not logged. */
  async function logged<Decision extends Expectation | IncomingDecision>(
    { transport, to }: IncomingCall,
    decided: Promise<Decision | Refusal>,
  ): Promise<Decision | Refusal> {
    const decision = await decided;
    if (!decision.accept) {
      const { reason, why } = decision;
      log.warn({ transport, number: to, reason }, `A call was refused. ${why ?? ''}`.trim());
    }
    return decision;
  }

  const reportedTo: Exchange = {
    expect: (call) =>
      logged(
        call,
        guarded<Expectation>('A call could not be looked at.', failed, () => foresee(call)),
      ),

    incoming: (call) =>
      logged(
        call,
        guarded<IncomingDecision>('A call could not be taken.', failed, () => take(call)),
      ),

    find: (transport, networkId) =>
      guarded('A call could not be looked up.', undefined, async () => {
        return (await callRecords.findByNetworkId(transport, networkId))?.id;
      }),

    ringing: (callId) =>
      guarded('A call could not be noted as ringing.', undefined, async () => {
        const row = await callRecords.findAnywhere(callId);
        if (row && (await callRecords.ring(row))) noteChange(row.workspaceId, 'conversation', callId);
      }),

    async connected(callId, line, mayContinue) {
      const connected = guarded('A line could not be connected.', undefined, () =>
        connectLine({ ...dependencies, ends, isStopping: () => isStopping }, callId, line, mayContinue),
      );
      connecting.set(callId, connected);
      await connected;
      connecting.delete(callId);
    },

    ended: ends.ended,
  };

  return {
    ...reportedTo,
    end: ends.stopCall,
    sweep: ends.sweep,

    /** Ends the calls on all lines of this node, after what is being said, and takes no more. */
    async stop(): Promise<void> {
      isStopping = true;
      for (const { talk } of liveCalls.all()) talk.end('service_stopped');
      // These end by themselves when they are connected.
      await Promise.all(connecting.values());
      await Promise.all(liveCalls.all().map(({ ended }) => ended));
      ends.stop();
    },
  };
}

const callLimitReached = "The workspace's limit of calls in progress is reached.";
const failed: Refusal = { accept: false, reason: 'unavailable', why: 'The error is in the line before.' };
const otherBranch: Refusal = {
  accept: false,
  reason: 'taken',
  why: 'It has arrived by another way already.',
};

function decide(row: VoiceCallRow, branch: string | undefined): IncomingDecision {
  // There may be a talk on the first branch, which the end of a second one would end.
  const isOther = branch !== undefined && row.networkBranch !== null && row.networkBranch !== branch;
  if (isOther) return otherBranch;
  if (row.endedAt)
    return { accept: false, reason: 'unavailable', why: `The call is over: ${row.endReason ?? 'ended'}.` };
  return { accept: true, callId: row.id, maxSeconds: row.maxSeconds };
}
