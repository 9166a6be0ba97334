import type { CallEndReason } from '@svc/contract/calls';
import { notFound } from '../../app-error.ts';
import type { BotRow, BotService } from '../../bots/service.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/database.ts';
import type { NoteChange } from '../../events/workspace-changes.ts';
import type { Log } from '../../log.ts';
import { type VoiceCallRow, voiceCallStore } from '../../voice-calls/service.ts';
import type { VoiceNumberService } from '../numbers/service.ts';
import { phrasesIn } from '../session/phrases.ts';
import type { Exchange, Line, LineEnd } from '../transports/transport.ts';
import type { EndCall } from './end-call.ts';
import { reasonOf } from './end-reason.ts';
import type { LiveCalls } from './live-calls.ts';
import { createMeter, type MeterDependencies } from './meter.ts';
import type { OpenCall } from './open-call.ts';
import { type ChosenSpeech, type StartTalkDependencies, startTalk } from './start-talk.ts';

export interface ExchangeDependencies extends StartTalkDependencies, MeterDependencies {
  database: Database;
  bots: Pick<BotService, 'getRow'>;
  numbers: Pick<VoiceNumberService, 'findByPhone'>;
  openCall: OpenCall;
  endCall: EndCall;
  liveCalls: LiveCalls;
  chooseSpeech: ChooseSpeech;
  /** Stops the phone of the person who is called from ringing. */
  cancel(callId: string): void;
  nodeId: string;
  noteChange: NoteChange;
  clock: Clock;
  log: Log;
}

/** The providers for a call of this bot, or a sentence about what is missing. */
export type ChooseSpeech = (
  settings: BotRow['settings'],
  numberVoice: string | null,
) => ChosenSpeech | { missing: string };

export interface OpenExchange extends Exchange {
  /** Ends a call on whichever node its line is. Harmless if it is over; throws NOT_FOUND for unknown ones. */
  end(workspaceId: string, callId: string): Promise<void>;
  /** Periodically: ends calls that nobody else will end. */
  sweep(): Promise<void>;
  /** Says goodbye on all lines of this node and takes no more calls. */
  stop(): Promise<void>;
}

/** More than this would be heard: speech is made in real time. */
const maxLines = 200;
const watchEveryMs = 5_000;
/** The farewell begins this long before the limit. */
const farewellSeconds = 4;
/** After the limit of a call, until somebody else may end it. */
const graceSeconds = 60;
const sweepBatch = 100;

/** Knows every call: decides about those that come in, and lets bots talk on the lines of this node. */
export function createExchange(dependencies: ExchangeDependencies): OpenExchange {
  const { database, bots, numbers, openCall, endCall, liveCalls, chooseSpeech } = dependencies;
  const { cancel, nodeId, noteChange, clock, log } = dependencies;
  let isStopping = false;
  const unended = new Map<string, () => Promise<boolean>>();

  async function guarded<Result>(what: string, fallback: Result, work: () => Promise<Result>) {
    try {
      return await work();
    } catch (error) {
      log.error({ err: error }, what);
      return fallback;
    }
  }

  /** If the database cannot be reached, the next sweep tries again. */
  async function endSurely(row: VoiceCallRow, reason: CallEndReason, detail?: string): Promise<void> {
    unended.set(row.id, () => endCall(row, reason, detail));
    await guarded('A call could not be ended; the next round tries again.', undefined, async () => {
      await endCall(row, reason, detail);
      unended.delete(row.id);
    });
  }

  async function connect(callId: string, line: Line): Promise<void> {
    const found = await voiceCallStore.findAcrossWorkspaces(database.query, callId);
    const now = clock.now();
    const deadlineAt = new Date(now.getTime() + ((found?.maxSeconds ?? 0) + graceSeconds) * 1_000);
    const answered = { status: 'in_progress', answeredAt: now, nodeId, deadlineAt } as const;
    const row =
      found && !isStopping
        ? await voiceCallStore.changeOpen(database.query, found.workspaceId, callId, answered, [
            'queued',
            'ringing',
          ])
        : undefined;
    if (!row) return line.hangUp();
    noteChange(row.workspaceId, 'conversation', row.id);
    try {
      await talk(row, line);
    } catch (error) {
      line.hangUp();
      await endCall(row, 'bot_failed');
      throw error;
    }
  }

  async function talk(row: VoiceCallRow, line: Line): Promise<void> {
    const bot = await bots.getRow(row.workspaceId, row.botId);
    const speech = chooseSpeech(bot.settings, row.ttsVoice);
    if ('missing' in speech) {
      line.hangUp();
      await endCall(row, 'speech_failed', speech.missing);
      return;
    }
    const names = { listener: speech.listener.provider, speaker: speech.speaker.provider };
    const meter = createMeter(dependencies, row, names);
    const ended = Promise.withResolvers<void>();
    let watch: NodeJS.Timeout | undefined;
    let limit: NodeJS.Timeout | undefined;
    let isOver = false;
    const started = await startTalk(dependencies, {
      row,
      bot,
      line,
      speech,
      onSpoken: meter.speak,
      onEnd(reason, detail) {
        isOver = true;
        clearInterval(watch);
        clearTimeout(limit);
        void guarded('The cost of a call could not be settled.', false, meter.settle)
          .then(() => endSurely(row, reason, detail))
          .finally(() => {
            liveCalls.remove(row.id);
            ended.resolve();
          });
      },
    });
    // The other side may have hung up meanwhile.
    if (isOver) return;
    const { goodbyeLimit } = phrasesIn(bot.promptBuilder?.language);
    watch = setInterval(() => {
      void guarded('The balance of a call could not be checked.', undefined, async () => {
        if (!(await meter.settle())) started.end('insufficient_balance', goodbyeLimit);
      });
      void guarded('A call could not be looked up.', undefined, () => obey(row, started.close));
    }, watchEveryMs).unref();
    const talkSeconds = Math.max(row.maxSeconds / 2, row.maxSeconds - farewellSeconds);
    limit = setTimeout(() => started.end('max_duration', goodbyeLimit), talkSeconds * 1_000).unref();
    liveCalls.add({ row, talk: started, settings: bot.settings, ended: ended.promise });
  }

  /** The call may have been ended on another node, or deleted with its conversation. */
  async function obey({ id, workspaceId }: VoiceCallRow, close: (reason: 'stopped') => Promise<void>) {
    const row = await voiceCallStore.find(database.query, workspaceId, id);
    if (!row || row.endedAt) await close('stopped');
    return undefined;
  }

  return {
    incoming: ({ transport, networkId, from, to }) =>
      guarded(
        'A call could not be taken.',
        { accept: false as const, reason: 'unavailable' as const },
        async () => {
          if (isStopping) return { accept: false, reason: 'unavailable' };
          if (liveCalls.all().length >= maxLines) return { accept: false, reason: 'busy' };
          const known = await voiceCallStore.findByNetworkIdAcrossWorkspaces(
            database.query,
            transport,
            networkId,
          );
          if (known) return decide(known);
          const answered = await numbers.findByPhone(to);
          if (!answered) return { accept: false, reason: 'unknown_number' };
          const { number, bot } = answered;
          const { workspaceId, greeting, ttsVoice } = number;
          const speech = chooseSpeech(bot.settings, ttsVoice);
          if ('missing' in speech) {
            log.error({ number: to }, `A call was refused. ${speech.missing}`);
            return { accept: false, reason: 'unavailable' };
          }
          const direction = 'inbound';
          const call = {
            workspaceId,
            bot,
            direction,
            transport,
            networkId,
            from,
            to,
            greeting,
            ttsVoice,
          } as const;
          const row = await openCall(call);
          noteChange(workspaceId, 'conversation', row.id);
          return decide(row);
        },
      ),

    ringing: (callId) =>
      guarded('A call could not be noted as ringing.', undefined, async () => {
        const row = await voiceCallStore.findAcrossWorkspaces(database.query, callId);
        if (!row) return;
        const { workspaceId } = row;
        const status = { status: 'ringing' } as const;
        await voiceCallStore.changeOpen(database.query, workspaceId, callId, status, ['queued']);
        noteChange(workspaceId, 'conversation', callId);
      }),

    connected: (callId, line) =>
      guarded('A line could not be connected.', undefined, () => connect(callId, line)),

    ended: (callId, end) =>
      guarded('A call could not be ended.', undefined, async () => {
        const live = liveCalls.find(callId);
        if (live) return live.talk.close(reasonOf(end), end.detail);
        const row = await voiceCallStore.findAcrossWorkspaces(database.query, callId);
        // The node that holds the line ends it.
        const isOver = row?.status !== 'in_progress' || end.cause === 'voicemail';
        if (row && isOver) await endCall(row, reasonBefore(row, end), end.detail);
      }),

    async end(workspaceId, callId) {
      const row = await voiceCallStore.find(database.query, workspaceId, callId);
      if (!row) throw notFound();
      const live = liveCalls.find(callId);
      if (live) return live.talk.close('stopped');
      if (await endCall(row, 'stopped')) cancel(callId);
    },

    async sweep() {
      for (const [id, end] of unended) {
        await end();
        unended.delete(id);
      }
      const left = await voiceCallStore.listLeftAcrossWorkspaces(database.query, sweepBatch);
      for (const row of left) {
        if (liveCalls.find(row.id)) continue;
        if (row.status === 'in_progress') await endCall(row, row.isLate ? 'max_duration' : 'node_lost');
        else await endCall(row, row.isLate ? 'no_answer' : 'node_lost', 'The call was never connected.');
      }
    },

    async stop() {
      isStopping = true;
      const calls = liveCalls.all();
      for (const { talk: open } of calls) open.end('service_stopped');
      await Promise.all(calls.map(({ ended }) => ended));
    },
  };
}

/** A caller who gives up before somebody answers has not been answered. */
function reasonBefore({ answeredAt }: VoiceCallRow, end: LineEnd): CallEndReason {
  const reason = reasonOf(end);
  return answeredAt === null && reason === 'caller_hung_up' ? 'no_answer' : reason;
}

function decide(row: VoiceCallRow) {
  if (row.endedAt) return { accept: false, reason: 'unavailable' } as const;
  return { accept: true, callId: row.id, maxSeconds: row.maxSeconds } as const;
}
