import { createPlayoutQueue } from '@svc/sip/media/playout-queue';
import { vi } from 'vitest';
import type { StreamEvent } from '../../../src/events/event.ts';
import { createLog } from '../../../src/lib/log.ts';
import { frameBytes, frameMs, silence } from '../../../src/voice/audio/format.ts';
import type { TranscriptEvents } from '../../../src/voice/speech/speech.ts';
import { createKeypad } from '../../../src/voice/talk/keypad.ts';
import { phrasesIn } from '../../../src/voice/talk/phrases.ts';
import { createTalk, type Talk, type TalkPorts } from '../../../src/voice/talk/talk.ts';
import type { TurnTimes } from '../../../src/voice/talk/turn-times.ts';
import type { LineEvents } from '../../../src/voice/transports/call-transport.ts';

/** How long the voice takes for a character. */
export const msPerCharacter = 50;

/** A talk on a line in time that only passes when the test says so. The conversation, the caller and the voice are played by hand. */
export interface HandPlayedTalk {
  talk: Talk;
  /** What is in the transcript, in order. */
  transcript: { id: string; who: 'caller' | 'bot'; text: string }[];
  /** Turns that were begun, and `stop`. */
  asked: string[];
  /** What the voice was asked to say. */
  said: string[];
  times: ({ turnId: string } & TurnTimes)[];
  /** What was last noted of what is being said. */
  playing: { messageId: string; heard: string }[];
  end: { isOver?: boolean; reason?: string; detail?: string | undefined };
  /** Understood, as the recogniser reports it. */
  recogniser: TranscriptEvents;
  line: LineEvents;
  faults: {
    speaking?: Error;
    beginning?: Error;
    stuckTurn?: boolean;
    slowStopMs?: number;
    lateRecogniser?: boolean;
  };
  /** Lets time pass; `sounds`: the caller makes a sound meanwhile. */
  pass(milliseconds: number, sounds?: boolean): Promise<void>;
  /** The caller says something, and the turn is decided. */
  callerSays(text: string): Promise<void>;
  /** The model writes a piece of its reply. */
  writes(text: string, messageId?: string): void;
  /** The reply is complete, and so is the turn. */
  completes(messageId?: string): void;
  fails(code?: string): void;
  /** The reply is given up: another takes its place. */
  retracts(messageId?: string): void;
  emit(...events: object[]): void;
  readonly turnId: string;
  /** How much of our sound the caller has heard. */
  readonly playedMs: number;
}

export const first = 'Your parcel left Cologne on Monday morning.';
export const second = ' It arrives tomorrow in the afternoon.';

/** A talk in which the bot has begun to answer. */
export async function answering(text = first + second): Promise<HandPlayedTalk> {
  const played = playTalk();
  await played.callerSays('Where is my parcel?');
  played.writes(text);
  return played;
}

export const textsOf = ({ transcript }: HandPlayedTalk) =>
  transcript.map(({ who, text }) => `${who}: ${text}`);

/** After each test: nothing may be left behind by a call that is over. */
export function endPlaying(): void {
  const left = vi.getTimerCount();
  vi.useRealTimers();
  if (left > 0) throw new Error(`${left} timers are left.`);
}

export function playTalk(
  greeting = '',
  spoken = { during: false, after: false },
  announcement?: string,
): HandPlayedTalk {
  vi.useFakeTimers();
  const format = 'mulaw-8000';
  const queue = createPlayoutQueue(() => 'mulaw-8000');
  const transcript: HandPlayedTalk['transcript'] = [];
  const asked: string[] = [];
  const said: string[] = [];
  const times: HandPlayedTalk['times'] = [];
  const end: HandPlayedTalk['end'] = {};
  const faults: HandPlayedTalk['faults'] = {};
  const playing: HandPlayedTalk['playing'] = [];
  const written = new Map<string, string>();
  let sounds = false;
  let turnId = '';
  let follow: ((events: readonly StreamEvent[]) => void) | undefined;
  let recogniser: TranscriptEvents | undefined;
  let line: LineEvents | undefined;

  // The parts of events that talks do not look at are left out.
  const emit = (...events: object[]) => follow?.(events as StreamEvent[]);
  const message = (id: string, content: string, interrupted: boolean) => ({
    type: 'message.completed',
    turnId,
    data: { message: { id, role: 'assistant', content, interrupted } },
  });
  function store(id: string, text: string): void {
    transcript.push({ id, who: 'bot', text });
  }
  function breakOff(): object[] {
    const broken = [...written].map(([id, text]) => message(id, text, true));
    for (const [id, text] of written) store(id, text);
    written.clear();
    return broken;
  }

  const ports: TalkPorts = {
    async beginTurn(id, text, replaces) {
      if (faults.beginning) throw faults.beginning;
      const guess = transcript.find((one) => one.id === replaces);
      if (guess) guess.text = '';
      turnId = id;
      asked.push(text);
      transcript.push({ id, who: 'caller', text });
      emit({ type: 'turn.started', turnId: id, data: { turn_id: id, user_message: { id } } });
    },
    async stopTurn() {
      asked.push('stop');
      if (faults.slowStopMs) await new Promise((resolve) => setTimeout(resolve, faults.slowStopMs));
      if (!faults.stuckTurn) emit(...breakOff(), { type: 'turn.interrupted', data: { turn_id: turnId } });
    },
    follow(onEvents) {
      follow = onEvents;
      return () => {
        follow = undefined;
      };
    },
    async note({ id, role, text }) {
      transcript.push({ id, who: role === 'user' ? 'caller' : 'bot', text });
    },
    async cut(id, heard) {
      const entry = transcript.find((one) => one.id === id);
      if (!entry) return;
      entry.text = heard;
      emit(message(id, heard, true));
    },
    saveTimes: (id, saved) => void times.push({ turnId: id, ...saved }),
    async notePlaying(heard) {
      playing.splice(0, playing.length, ...(heard ?? []));
    },
    onSpoken: () => undefined,
  };

  const talk = createTalk({
    keypad: createKeypad(true),
    line: {
      format,
      listen(events) {
        line = events;
      },
      send: queue.push,
      clear: queue.clear,
      get playedMs() {
        return queue.playedMs;
      },
      get queuedMs() {
        return queue.queuedMs;
      },
      transfer: () => Promise.reject(new Error('There is no line to transfer to.')),
      hangUp: () => undefined,
    },
    speaker: {
      async say(text, onAudio) {
        said.push(text);
        if (faults.speaking) throw faults.speaking;
        onAudio(silence(format, text.length * msPerCharacter));
      },
      close: () => undefined,
    },
    detector: { push: () => sounds },
    listen(events) {
      recogniser = events;
      return {
        push: () => undefined,
        finish: () => undefined,
        get isLate() {
          return faults.lateRecogniser === true;
        },
        close: () => undefined,
      };
    },
    phrases: phrasesIn('en'),
    spokenAbout: () => spoken,
    announcement,
    greeting,
    ports,
    onOver() {
      end.isOver = true;
    },
    onEnd(reason, detail) {
      Object.assign(end, { reason, detail });
    },
    log: createLog({ level: 'silent', readable: false }),
  });
  if (!recogniser || !line) throw new Error('A talk listens from the beginning.');
  const [heard, events] = [recogniser, line];

  async function pass(milliseconds: number, isSounding = false): Promise<void> {
    sounds = isSounding;
    for (let at = 0; at < milliseconds; at += frameMs) {
      queue.next();
      events.onAudio(Buffer.alloc(frameBytes(format), 0xff));
      await vi.advanceTimersByTimeAsync(frameMs);
    }
    sounds = false;
  }

  return {
    talk,
    transcript,
    asked,
    said,
    times,
    end,
    playing,
    recogniser: heard,
    line: events,
    faults,
    pass,
    async callerSays(text) {
      await pass(400, true);
      await pass(300);
      heard.onFinal(text);
      await pass(800);
    },
    writes(text, messageId = `reply of ${turnId}`) {
      const before = written.get(messageId) ?? '';
      written.set(messageId, before + text);
      emit({ type: 'message.delta', turnId, data: { message_id: messageId, offset: before.length, text } });
    },
    completes(messageId = `reply of ${turnId}`) {
      const text = written.get(messageId) ?? '';
      written.delete(messageId);
      if (text) store(messageId, text);
      const over = { type: 'turn.completed', turnId, data: { turn_id: turnId } };
      emit(...(text ? [message(messageId, text, false)] : []), over);
    },
    fails(code = 'MODEL_FAILED') {
      emit(...breakOff(), { type: 'turn.failed', data: { turn_id: turnId, error: { code } } });
    },
    retracts(messageId = `reply of ${turnId}`) {
      written.delete(messageId);
      emit({ type: 'stream.snapshot', turnId, data: { message_id: messageId, text: '' } });
    },
    emit,
    get turnId() {
      return turnId;
    },
    get playedMs() {
      return queue.playedMs;
    },
  };
}
