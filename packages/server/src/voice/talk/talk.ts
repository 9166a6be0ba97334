import type { CallPatience } from '@svc/contract/bots';
import type { CallEndReason } from '@svc/contract/calls';
import type { StreamEvent } from '../../events/event.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Log } from '../../lib/log.ts';
import { newId } from '../../lib/new-id.ts';
import { waitAtMost } from '../../lib/wait-at-most.ts';
import { withoutQuotation } from '../../lib/without-quotation.ts';
import type { Services } from '../../services.ts';
import type { HeardMessage } from '../../voice-calls/records/call-records.service.ts';
import { reasonOf } from '../exchange/end-call.ts';
import {
  type Speaker,
  SpeechFailed,
  type TranscriptEvents,
  type TranscriptStream,
} from '../speech/speech.ts';
import type { Line, TransferAnnouncement } from '../transports/call-transport.ts';
import { type ActivityDetector, createHearing } from './hearing.ts';
import type { Keypad } from './keypad.ts';
import { nextTalkState } from './next-talk-state.ts';
import { createSpeaking, type HeardUtterance } from './speaking.ts';
import { farewellMs } from './talk-draft.ts';
import {
  type CallEnding,
  newTalk,
  type TalkEffect,
  type TalkEvent,
  type TalkSettings,
  type TalkState,
  type TalkTimer,
} from './talk-state.ts';
import type { TurnTimes } from './turn-times.ts';

/** What the talk needs from the rest of the service. These never reject unless stated. */
export interface TalkPorts {
  /** Begins a turn with what the caller said, and empties the message that this replaces; rejects if it cannot. */
  beginTurn(turnId: string, text: string, replaces: string | undefined): Promise<void>;
  /** Ends the turn that is running, and resolves when it is over. */
  stopTurn(): Promise<void>;
  /** Reports the events of the conversation until the returned function is called, or it is deleted or cannot be read. */
  follow(
    onEvents: (events: readonly StreamEvent[]) => void,
    onGone: (why: 'deleted' | 'unreadable') => void,
  ): () => void;
  /** Adds to the transcript what was said outside of turns. */
  note(spoken: { id: string; role: 'user' | 'assistant'; text: string }): Promise<void>;
  /** Shortens what the bot said in the transcript. */
  cut(messageId: string, heard: string): Promise<void>;
  saveTimes(turnId: string, times: TurnTimes): void;
  /** Notes how much was heard of messages that are being said, in case this process dies; null when all of it was. */
  notePlaying(playing: HeardMessage[] | null): Promise<void>;
  onSpoken(characters: number): void;
}

export interface TalkOptions extends TalkSettings, Pick<Services, 'log'> {
  line: Line;
  speaker: Speaker;
  detector: ActivityDetector;
  listen(events: TranscriptEvents): TranscriptStream;
  /** How long the caller may pause. */
  patience?: CallPatience | undefined;
  keypad: Keypad;
  /** Said before the greeting; nothing interrupts it. */
  announcement?: string | undefined;
  greeting: string;
  ports: TalkPorts;
  /** The line is closed, once; the transcript may not be complete. */
  onOver(): void;
  /** The talk is over and its transcript is complete, once. */
  onEnd(reason: CallEndReason, detail?: string): void;
}

type BegunTurn = Extract<TalkEffect, { type: 'begin turn' }>;

export type Talk = ReturnType<typeof createTalk>;

/** One conversation on one line: does what `nextTalkState` decides, and tells it what happens. */
export function createTalk(options: TalkOptions) {
  const { line, phrases, spokenAbout, interruption, keypad, ports, log } = options;
  const now = () => performance.now();
  const writes = createOrderedWrites(log);
  let state = newTalk({ phrases, spokenAbout, interruption });
  let timer: NodeJS.Timeout | undefined;
  let closed: Promise<void> | undefined;

  function tell(event: TalkEvent): void {
    const next = nextTalkState(state, { ...event, at: now(), newId: newId() });
    state = next.state;
    for (const effect of next.effects) attempt(effect);
    clearTimeout(timer);
    const [due] = Object.entries(state.timers).toSorted(([, one], [, other]) => one - other);
    if (due) timer = setTimeout(() => tellDue(due[0] as TalkTimer), Math.max(0, due[1] - now()));
  }

  /** One effect that fails, such as a line that cannot be cleared, holds up neither the others nor the end of the talk. */
  function attempt(effect: TalkEffect): void {
    try {
      perform(effect);
    } catch (error) {
      log.warn({ err: error, effect: effect.type }, 'A part of a call failed.');
    }
  }

  function tellDue(due: TalkTimer): void {
    tell({ type: 'due', timer: due, isLate: hearing.isLate });
  }

  function perform(effect: TalkEffect): void {
    switch (effect.type) {
      case 'say':
        return speaking.say(effect.utteranceId, effect.piece);
      case 'pause':
        return speaking.pause();
      case 'resume':
        return speaking.resume();
      case 'discard':
        return tell({ type: 'discarded', heard: speaking.discard() });
      case 'mask keys':
        return tell({ type: 'keys', text: keypad.note(effect.digits, now()) });
      case 'begin turn':
        return writes.add(() => beginTurn(effect));
      case 'stop turn':
        return writes.add(() => ports.stopTurn());
      case 'note words':
        return writes.add(() => ports.note({ id: newId(), role: 'user', text: effect.text }));
      case 'note phrase':
        return writes.add(() => ports.note({ id: effect.id, role: 'assistant', text: effect.text }));
      case 'shorten':
        return writes.add(() => ports.cut(effect.messageId, effect.heard));
      case 'save times':
        return ports.saveTimes(effect.turnId, effect.times);
      case 'show':
        return line.show?.(effect.notice);
      case 'close':
        closed = close(effect.ending);
    }
  }

  async function beginTurn({ turnId, text, replaces }: BegunTurn): Promise<void> {
    try {
      await ports.beginTurn(turnId, text, replaces);
    } catch (error) {
      log.warn({ err: error }, 'A turn of a call could not begin.');
      const code = error instanceof AppError ? error.code : undefined;
      tell({ type: 'turn not begun', turnId, text, replaces, code });
    }
  }

  async function close({ reason, detail }: CallEnding): Promise<void> {
    stopNoting();
    hearing.close();
    speaking.close();
    line.hangUp();
    options.onOver();
    await writes.done();
    unfollow();
    tell({ type: 'closed' });
    options.onEnd(reason, detail);
  }

  const end = (reason: CallEndReason, farewell?: string, detail?: string) =>
    tell({ type: 'end', ending: { reason, detail }, farewell });

  const speaking = createSpeaking({
    line,
    speaker: options.speaker,
    onSaid(utteranceId, spoken, inMs) {
      keypad.noteReply();
      tell({ type: 'said', utteranceId, spoken, inMs });
    },
    onSilent: (heard) => tell({ type: 'silent', heard }),
    onFailure(error) {
      log.warn({ err: error }, 'Speech could not be made.');
      tell({ type: 'close', ending: { reason: 'speech_failed', detail: explain(error) } });
    },
    onSpoken: ports.onSpoken,
  });

  const hearing = createHearing({
    detector: options.detector,
    patience: options.patience,
    listen: options.listen,
    now,
    onSpeech: () => tell({ type: 'speech' }),
    onLull: (speechMs) => tell({ type: 'lull', speechMs }),
    onPause: () => tell({ type: 'pause' }),
    onWords: (text, isTentative) => tell({ type: 'words', text, isTentative }),
    onHeard: (heard) => tell({ type: 'heard', heard, remainingMs: speaking.remainingMs }),
    onCorrected: (heard, isMore) => tell({ type: 'corrected', heard, isMore }),
    onFailure(error) {
      log.warn({ err: error }, 'Speech can no longer be recognized.');
      end('speech_failed', phrases.sorryGoodbye, explain(error));
    },
  });

  const stopNoting = notePlayed(ports, () => heardSoFar(state, speaking.heard()));
  const unfollow = ports.follow(
    (events) => events.forEach((event) => tell({ type: 'conversation', event })),
    (why) => (why === 'deleted' ? end('stopped') : end('bot_failed', phrases.sorryGoodbye)),
  );

  line.listen({
    onAudio: hearing.push,
    onDigit: (digit) => tell({ type: 'key', digit }),
    onEnd: (lineEnd) =>
      tell({ type: 'close', ending: { reason: reasonOf[lineEnd.cause], detail: lineEnd.detail } }),
  });
  if (options.announcement !== undefined)
    tell({ type: 'phrase', text: options.announcement, mustBeHeard: true });
  tell({ type: 'phrase', text: options.greeting });

  return {
    /** Says goodbye, if there is something to say, and ends the talk when what is being said was heard. */
    end,
    /** Ends the talk immediately, as for a line that is gone; resolves when the transcript is complete. */
    async close(reason: CallEndReason, detail?: string): Promise<void> {
      tell({ type: 'close', ending: { reason, detail } });
      await closed;
    },
    async transfer(to: string, announcement?: TransferAnnouncement): Promise<boolean> {
      await waitAtMost(farewellMs, speaking.silent());
      if (state.stage === 'over') return false;
      try {
        await line.transfer(to, announcement);
        return true;
      } catch (error) {
        log.warn({ err: error }, 'A caller could not be transferred.');
        return false;
      }
    },
  };
}

const noteEveryMs = 1_000;

/** Notes every second what has changed, one write at a time. */
function notePlayed(
  { notePlaying }: Pick<TalkPorts, 'notePlaying'>,
  playing: () => HeardMessage[],
): () => void {
  let noted = '[]';
  let isWriting = false;
  const timer = setInterval(() => {
    const current = playing();
    const text = JSON.stringify(current);
    if (isWriting || text === noted) return;
    noted = text;
    isWriting = true;
    void notePlaying(current.length === 0 ? null : current).finally(() => {
      isWriting = false;
    });
  }, noteEveryMs).unref();
  return () => clearInterval(timer);
}

/** What was heard of the messages that the bot has not said to the end. */
function heardSoFar({ utterances }: TalkState, spoken: readonly HeardUtterance[]): HeardMessage[] {
  return spoken.flatMap(({ utteranceId, text, isWhole }) => {
    const utterance = utterances.get(utteranceId);
    if (isWhole || !utterance) return [];
    return [
      {
        messageId: utterance.noteId ?? utteranceId,
        heard: withoutQuotation((utterance.heard + text).trimEnd()),
      },
    ];
  });
}

/** Only these errors have messages for operators. */
function explain(error: unknown): string | undefined {
  return error instanceof SpeechFailed ? error.message : undefined;
}

/** Writes that follow each other, even if those before them have failed. */
function createOrderedWrites(log: Log) {
  let latest: Promise<void> = Promise.resolve();
  return {
    add(work: () => Promise<void>): void {
      latest = latest.then(work).catch((error: unknown) => {
        log.error({ err: error }, 'The transcript of a call could not be completed.');
      });
    },
    /** Resolves when everything was written, including what is added meanwhile: a write that fails may add others. */
    async done(): Promise<void> {
      for (let awaited: Promise<void> | undefined; awaited !== latest; ) {
        awaited = latest;
        await awaited;
      }
    },
  };
}
