import type { CallEndReason } from '@svc/contract/calls';
import type { BotRow } from '../../bots/bots.service.ts';
import type { Transcript } from '../../conversations/transcript/transcript.service.ts';
import { followConversation } from '../../events/follow-conversation.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Log } from '../../lib/log.ts';
import type { Services } from '../../services.ts';
import { functionName } from '../../tools/tools.service.ts';
import type { Admission } from '../../turns/turns.service.ts';
import type { VoiceCallRow } from '../../voice-calls/records/call-records.service.ts';
import type { ActivityDetection } from '../activity/activity-detection.ts';
import type { SpeechToText, TextToSpeech } from '../speech/speech.ts';
import type { Keypad } from '../talk/keypad.ts';
import { covers, languageTag } from '../talk/language-tag.ts';
import { phrasesIn } from '../talk/phrases.ts';
import { createTalk, type Talk, type TalkPorts } from '../talk/talk.ts';
import type { CalledTool, TalkSettings } from '../talk/talk-state.ts';
import type { Line } from '../transports/call-transport.ts';

/** The providers that speak and listen on a call. */
export interface ChosenSpeech {
  speaker: TextToSpeech;
  voice?: string;
  listener: SpeechToText;
}

export interface StartTalkDependencies
  extends Pick<Services, 'bots' | 'callRecords' | 'database' | 'log' | 'reading' | 'tools' | 'turns'> {
  transcript: Transcript;
  activity: Pick<ActivityDetection, 'open'>;
}

export interface TalkToStart {
  row: VoiceCallRow;
  bot: BotRow;
  line: Line;
  /** Callers are told so first. */
  isRecorded: boolean;
  speech: ChosenSpeech;
  keypad: Keypad;
  onSpoken(characters: number): void;
  /** What the caller said begins a turn. */
  onTurn(turnId: string): void;
  onOver(): void;
  onEnd(reason: CallEndReason, detail?: string): void;
}

interface SaidByCaller {
  turnId: string;
  text: string;
  /** The message of a wrong guess, which is emptied in the same transaction. */
  replaces: string | undefined;
}

const channel = 'voice';
const stoppedBy = 'caller';

/** Connects a line with its bot. */
export async function startTalk(dependencies: StartTalkDependencies, wanted: TalkToStart): Promise<Talk> {
  const { database, callRecords, bots, tools, turns, transcript, reading } = dependencies;
  const { row, bot, line, speech } = wanted;
  const { id: conversationId, workspaceId } = row;
  const log = dependencies.log.child({ call_id: row.id });
  const spokenAbout = await readSpokenAbout(tools, row, bot);
  const language = languageTag(bot.promptBuilder?.language);
  const phrases = phrasesIn(bot.promptBuilder?.language);
  const detector = dependencies.activity.open(line.format);
  const speaker = speech.speaker.open({
    format: line.format,
    language,
    ...(speech.voice && { voice: speech.voice }),
  });

  async function admit({ replaces, ...said }: SaidByCaller, isFresh: boolean): Promise<Admission> {
    const { bot: current, revision } = await bots.recall(workspaceId, row.botId, isFresh);
    const place = { workspaceId, conversationId, channel } as const;
    const turn = { ...said, ...place, bot: current, botRevision: revision, options: {} };
    const plain = replaces === undefined ? await turns.admitTurn(turn) : undefined;
    if (plain && plain.kind !== 'needs_reservation') return plain;
    return database.within(workspaceId).transaction(async (tx) => {
      const admission = await turns.admitTurn(turn, tx);
      if (admission.kind !== 'admitted' || replaces === undefined) return admission;
      const emptied = { messageId: replaces, heard: '' };
      const tellReaders = await transcript.cutWithin(tx, workspaceId, conversationId, emptied);
      return {
        ...admission,
        begin() {
          admission.begin();
          tellReaders();
        },
      };
    });
  }

  const ports: TalkPorts = {
    async beginTurn(turnId, text, replaces) {
      wanted.onTurn(turnId);
      const said = { turnId, text, replaces };
      const remembered = await admit(said, false);
      // The bot may have been changed since it was last read here.
      const admission = remembered.kind === 'stale_bot' ? await admit(said, true) : remembered;
      switch (admission.kind) {
        case 'admitted':
          return admission.begin();
        case 'busy':
          throw new AppError('TURN_IN_PROGRESS');
        case 'deleted':
        case 'stale_bot':
          throw new AppError('NOT_FOUND');
        case 'elsewhere':
        case 'needs_reservation':
          throw new Error(`A turn of a call was refused as ${admission.kind}.`);
      }
    },
    async stopTurn() {
      await turns.stop(workspaceId, conversationId, stoppedBy);
    },
    follow: (onEvents, onGone) =>
      followConversation(reading, {
        workspaceId,
        conversationId,
        after: 0,
        send: onEvents,
        drained: () => Promise.resolve(),
        onFailed(error) {
          log.warn({ err: error }, 'The conversation of a call cannot be followed any more.');
          onGone(error instanceof AppError && error.code === 'NOT_FOUND' ? 'deleted' : 'unreadable');
        },
      }),
    note: (spoken) => transcript.add(workspaceId, conversationId, spoken),
    cut: (messageId, heard) => transcript.cut(workspaceId, conversationId, { messageId, heard }),
    saveTimes(turnId, times) {
      const saved = callRecords.saveTurn(row, { turnId, ...times });
      saved.catch((error: unknown) => log.warn({ err: error }, 'The times of a turn could not be saved.'));
    },
    async notePlaying(playing) {
      await callRecords.notePlaying(row, playing).catch((error: unknown) => {
        log.warn({ err: error }, 'How much was heard could not be noted.');
      });
    },
    onSpoken: wanted.onSpoken,
  };

  return createTalk({
    line,
    speaker,
    detector: {
      push: (frame) => detector.push(frame).isSpeech,
      get lagMs() {
        return detector.lagMs;
      },
      get silenceMs() {
        return detector.silenceMs;
      },
    },
    listen: (events) => speech.listener.open({ format: line.format }, events),
    phrases,
    spokenAbout,
    interruption: bot.settings.call_interruption ?? undefined,
    patience: bot.settings.call_patience ?? undefined,
    keypad: wanted.keypad,
    ...firstWords(wanted, language, log),
    ports,
    onOver: wanted.onOver,
    onEnd(reason, detail) {
      speaker.close();
      detector.close();
      wanted.onEnd(reason, detail);
    },
    log,
  });
}

/**
 * A caller is told that the call is recorded, and that their language is not understood: in that language, if the voice
 * speaks it.
 */
function firstWords(
  { row, bot, speech, isRecorded }: TalkToStart,
  language: string | undefined,
  log: Log,
): { announcement: string | undefined; greeting: string } {
  const {
    voice_greeting: spoken,
    chat_greeting: written,
    recording_announcement: announcement,
  } = bot.settings;
  const own = phrasesIn(bot.promptBuilder?.language);
  const phrases = covers(speech.speaker.languages, language) ? own : phrasesIn('en');
  const { provider, languages } = speech.listener;
  const isUnderstood = covers(languages, language);
  if (!isUnderstood) {
    log.warn(
      { language, bot_id: bot.id, provider },
      'The language of a bot is not understood on its calls: set DEEPGRAM_API_KEY or ELEVENLABS_API_KEY.',
    );
  }
  const greeting = row.greeting || spoken || written || own.greeting;
  return {
    announcement: isRecorded ? announcement?.trim() || phrases.recorded : undefined,
    greeting: isUnderstood ? greeting : `${greeting} ${phrases.onlyEnglish}`,
  };
}

/** As the bot's tools are set at the beginning of the call. */
async function readSpokenAbout(
  tools: StartTalkDependencies['tools'],
  { workspaceId }: VoiceCallRow,
  { id: botId, toolCount }: BotRow,
): Promise<TalkSettings['spokenAbout']> {
  const assigned = toolCount > 0 ? await tools.listOfBot(workspaceId, botId) : [];
  return ({ name, type }: CalledTool) => {
    const ofType = assigned.filter(({ tool_type: own }) => own === type);
    const entry = ofType.find(({ tool }) => tool !== null && functionName(tool.name) === name) ?? ofType[0];
    return {
      during: entry?.speak_during_execution ?? false,
      after: entry?.speak_after_execution ?? false,
    };
  };
}
