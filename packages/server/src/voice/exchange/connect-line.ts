import type { BotRow } from '../../bots/bots.service.ts';
import { isConnectionFailure } from '../../database/database.ts';
import type { Log } from '../../lib/log.ts';
import type { Services } from '../../services.ts';
import type { VoiceCallRow } from '../../voice-calls/records/call-records.service.ts';
import { recordCall } from '../recording/record-call.ts';
import { createKeypad } from '../talk/keypad.ts';
import { languageTag } from '../talk/language-tag.ts';
import { phrasesIn } from '../talk/phrases.ts';
import type { Talk } from '../talk/talk.ts';
import { type TransferCallerDependencies, transferCaller } from '../transfers/transfer-caller.ts';
import type { Transfers } from '../transfers/transfers.ts';
import type { Line, MayContinue, TransferAnnouncement } from '../transports/call-transport.ts';
import { createVoicemailEar } from '../voicemail/watch-voicemail.ts';
import type { SureEnds } from './end-call.ts';
import { createMeter, type Meter } from './meter.ts';
import { type ChosenSpeech, type StartTalkDependencies, startTalk } from './start-talk.ts';
import { tapLine } from './tap-line.ts';

/** The providers for a call of this bot, or a sentence about what is missing. */
export type ChooseSpeech = (
  settings: BotRow['settings'],
  numberVoice: string | null,
) => ChosenSpeech | { missing: string };

/** With recognition further behind, callers would wait for every answer, and each new call would make it worse. */
export const maxLagMs = 5_000;

/** Why a new call would not be understood in time, in a sentence; undefined if it would. */
export function whyTooLate({ listener: { lagMs = 0 } }: ChosenSpeech): string | undefined {
  if (lagMs <= maxLagMs) return undefined;
  return `Speech recognition is ${Math.round(lagMs / 1_000)} s behind: the machine is too busy.`;
}

export interface ConnectLineDependencies
  extends StartTalkDependencies,
    TransferCallerDependencies,
    Pick<Services, 'callRecordings' | 'clock' | 'liveCalls' | 'noteChange'> {
  transfers: Pick<Transfers, 'begin'>;
  chooseSpeech: ChooseSpeech;
}

const watchEveryMs = 5_000;
/** The farewell begins this long before the limit. */
const farewellSeconds = 4;
/** A voice that takes longer fails. */
const announcementWithinMs = 15_000;
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
  // The process that has accepted the call may have been another one.
  const why = 'missing' in speech ? speech.missing : whyTooLate(speech);
  if ('missing' in speech || why !== undefined) {
    line.hangUp();
    return ends.end(row, 'speech_failed', { detail: why });
  }
  const names = { listener: speech.listener.provider, speaker: speech.speaker.provider };
  const meter = createMeter(dependencies, row, names);
  const ended = Promise.withResolvers<void>();
  let overAt: Date | undefined;
  const timers = new AbortController();
  const isKeypadMasked = bot.settings.keypad_masking ?? true;
  const keypad = createKeypad(isKeypadMasked);
  const recorder = bot.settings.record_calls
    ? await recordCall(dependencies, { row, line, isKeypadMasked, log: log.child({ call_id: row.id }) })
    : undefined;
  let voicemail: string | undefined;
  const watched = watchVoicemail(dependencies, row, recorder?.line ?? line, (sign) => {
    voicemail = sign;
    void liveCalls.find(row.id)?.talk.close('voicemail', sign);
  });
  const started = await startTalk(dependencies, {
    row,
    bot,
    line: watched.line,
    isRecorded: recorder !== undefined,
    speech,
    keypad,
    onSpoken: meter.speak,
    onTurn: (turnId) => recorder?.turn(turnId),
    onOver() {
      meter.stop();
      overAt = clock.now();
    },
    onEnd(reason, detail) {
      timers.abort();
      watched.stop();
      const before = async () => {
        await recorder?.close();
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
  limitTalk(dependencies, row, { started, meter, mayContinue, goodbyeLimit, signal: timers.signal });
  liveCalls.add({
    row,
    talk: started,
    keypad,
    ended: ended.promise,
    transfer: (about) =>
      transferCaller(dependencies, {
        row,
        line,
        number: bot.settings.call_transfer_number,
        transfer: (to) => started.transfer(to, announcementOf(bot, about, { speech, line, meter })),
      }),
  });
  // It may have been heard in what was received before the talk listened.
  if (voicemail !== undefined) void started.close('voicemail', voicemail);
  if (dependencies.isStopping()) started.end('service_stopped');
}

interface LimitedTalk {
  started: Talk;
  meter: Meter;
  mayContinue: MayContinue;
  goodbyeLimit: string;
  /** The call is over. */
  signal: AbortSignal;
}

/** Ends a talk that cannot be paid for any more, has lasted too long, or was ended elsewhere. */
function limitTalk(
  dependencies: Pick<ConnectLineDependencies, 'callRecords' | 'log'>,
  row: VoiceCallRow,
  { started, meter, mayContinue, goodbyeLimit, signal }: LimitedTalk,
): void {
  const { log } = dependencies;
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
  signal.addEventListener('abort', () => {
    clearInterval(watch);
    clearTimeout(limit);
  });
}

/** What the person is told to whom the caller is transferred; undefined if they are connected at once. */
function announcementOf(
  { settings, promptBuilder }: BotRow,
  about: string | undefined,
  { speech, line, meter }: { speech: ChosenSpeech; line: Line; meter: Meter },
): TransferAnnouncement | undefined {
  if (!settings.call_transfer_announcement) return undefined;
  const text = [settings.call_transfer_announcement, about].filter(Boolean).join(' ');
  return {
    text,
    language: phrasesIn(promptBuilder?.language).language,
    async speak() {
      const { voice } = speech;
      const language = languageTag(promptBuilder?.language);
      const speaker = speech.speaker.open({ format: line.format, language, ...(voice && { voice }) });
      const parts: Buffer[] = [];
      try {
        await speaker.say(text, (audio) => void parts.push(audio), AbortSignal.timeout(announcementWithinMs));
      } finally {
        speaker.close();
      }
      meter.speak(text.length);
      return Buffer.concat(parts);
    },
  };
}

/** Twilio tells whether a machine has answered; trunks do not. */
function watchVoicemail(
  { activity }: Pick<ConnectLineDependencies, 'activity'>,
  { direction, transport }: VoiceCallRow,
  line: Line,
  onVoicemail: (why: string) => void,
): { line: Line; stop(): void } {
  if (direction !== 'outbound' || transport !== 'sip') return { line, stop: () => undefined };
  const detector = activity.open(line.format);
  const ear = createVoicemailEar(line.format, {
    isSpeech: (frame) => detector.push(frame).isSpeech,
    onVoicemail,
    onDone: detector.close,
  });
  return { line: tapLine(line, { caller: ear }), stop: detector.close };
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
