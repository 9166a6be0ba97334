import type { BotRow } from '../../bots/bots.service.ts';
import { isConnectionFailure } from '../../database/database.ts';
import type { Log } from '../../lib/log.ts';
import type { Services } from '../../services.ts';
import type { VoiceCallRow } from '../../voice-calls/records/call-records.service.ts';
import { createKeypad } from '../talk/keypad.ts';
import { phrasesIn } from '../talk/phrases.ts';
import { type TransferCallerDependencies, transferCaller } from '../transfers/transfer-caller.ts';
import type { Transfers } from '../transfers/transfers.ts';
import type { Line, MayContinue } from '../transports/call-transport.ts';
import type { SureEnds } from './end-call.ts';
import { createMeter, type Meter } from './meter.ts';
import { type ChosenSpeech, type StartTalkDependencies, startTalk } from './start-talk.ts';

/** The providers for a call of this bot, or a sentence about what is missing. */
export type ChooseSpeech = (
  settings: BotRow['settings'],
  numberVoice: string | null,
) => ChosenSpeech | { missing: string };

export interface ConnectLineDependencies
  extends StartTalkDependencies,
    TransferCallerDependencies,
    Pick<Services, 'clock' | 'liveCalls' | 'noteChange'> {
  transfers: Pick<Transfers, 'begin'>;
  chooseSpeech: ChooseSpeech;
}

const watchEveryMs = 5_000;
/** The farewell begins this long before the limit. */
const farewellSeconds = 4;
/** After the limit of a call, until the sweep may end it. */
const graceSeconds = 60;

/** Lets the bot of a call talk on a line of this node. Rejects if the call cannot be read. */
export async function connectLine(
  dependencies: ConnectLineDependencies & { ends: SureEnds; isStopping(): boolean },
  callId: string,
  line: Line,
  mayContinue: MayContinue = () => Promise.resolve(true),
): Promise<void> {
  const { callRecords, ends, isStopping, nodeId, noteChange, clock } = dependencies;
  try {
    const found = await callRecords.findAnywhere(callId);
    if (found && isStopping()) {
      line.hangUp();
      return await ends.end(found, 'service_stopped');
    }
    const endsWithinSeconds = (found?.maxSeconds ?? 0) + graceSeconds;
    const { networkId, dialog } = line;
    const answered = { at: clock.now(), nodeId, networkId, dialog, endsWithinSeconds };
    const row = found && (await callRecords.answer(found, answered));
    if (!row) return line.hangUp();
    noteChange(row.workspaceId, 'conversation', row.id);
    await talk(dependencies, row, line, mayContinue).catch(async (error: unknown) => {
      line.hangUp();
      await ends.end(row, 'bot_failed');
      throw error;
    });
  } catch (error) {
    line.hangUp();
    throw error;
  }
}

async function talk(
  dependencies: ConnectLineDependencies & { ends: SureEnds; isStopping(): boolean },
  row: VoiceCallRow,
  line: Line,
  mayContinue: MayContinue,
): Promise<void> {
  const { bots, chooseSpeech, liveCalls, ends, clock, log } = dependencies;
  const bot = await bots.getRow(row.workspaceId, row.botId);
  const speech = chooseSpeech(bot.settings, row.ttsVoice);
  if ('missing' in speech) {
    line.hangUp();
    return ends.end(row, 'speech_failed', { detail: speech.missing });
  }
  const names = { listener: speech.listener.provider, speaker: speech.speaker.provider };
  const meter = createMeter(dependencies, row, names);
  const ended = Promise.withResolvers<void>();
  let overAt: Date | undefined;
  const timers = new AbortController();
  const keypad = createKeypad(bot.settings.keypad_masking ?? true);
  const started = await startTalk(dependencies, {
    row,
    bot,
    line,
    speech,
    keypad,
    onSpoken: meter.speak,
    onOver() {
      meter.stop();
      overAt = clock.now();
    },
    onEnd(reason, detail) {
      timers.abort();
      const before = async () => {
        await settleLast(meter, log);
        if (reason !== 'transferred' || !line.passedOn) return undefined;
        await dependencies.transfers.begin(row, line.passedOn);
        return 'continues' as const;
      };
      void ends.end(row, reason, { detail, at: overAt, before }).finally(() => {
        liveCalls.remove(row.id);
        ended.resolve();
      });
    },
  });
  // The caller may have hung up meanwhile.
  if (timers.signal.aborted) return;
  const { goodbyeLimit } = phrasesIn(bot.promptBuilder?.language);
  const guarded = (what: string, work: () => Promise<void>) =>
    void work().catch((error: unknown) => log.error({ err: error, call_id: row.id }, what));
  const watch = setInterval(() => {
    guarded('The balance of a call could not be checked.', async () => {
      if (!(await meter.settle())) started.end('insufficient_balance', goodbyeLimit);
      else if (!(await mayContinue(meter.charged))) started.end('visitor_limit', goodbyeLimit);
    });
    guarded('A call could not be looked up.', () => obey(dependencies, row, started.close));
  }, watchEveryMs).unref();
  const talkSeconds = Math.max(row.maxSeconds / 2, row.maxSeconds - farewellSeconds);
  const limit = setTimeout(() => started.end('max_duration', goodbyeLimit), talkSeconds * 1_000).unref();
  timers.signal.addEventListener('abort', () => {
    clearInterval(watch);
    clearTimeout(limit);
  });
  liveCalls.add({
    row,
    talk: started,
    keypad,
    ended: ended.promise,
    transfer: () =>
      transferCaller(dependencies, {
        row,
        line,
        number: bot.settings.call_transfer_number,
        transfer: started.transfer,
      }),
  });
  if (dependencies.isStopping()) started.end('service_stopped');
}

/** Without the database the call is ended later, and its last seconds are paid then. Anything else must not keep it open. */
async function settleLast(meter: Meter, log: Log): Promise<void> {
  await meter.settle().catch((error: unknown) => {
    if (isConnectionFailure(error)) throw error;
    log.error({ err: error }, 'The last seconds of a call could not be charged.');
  });
}

/** The call may have been ended on another node, or deleted with its conversation. */
async function obey(
  { callRecords }: Pick<ConnectLineDependencies, 'callRecords'>,
  { id, workspaceId }: VoiceCallRow,
  close: (reason: 'stopped') => Promise<void>,
): Promise<void> {
  const row = await callRecords.find(workspaceId, id);
  if (!row || row.endedAt) await close('stopped');
}
