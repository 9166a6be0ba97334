import { AppError } from '../../lib/app-error.ts';
import type { Log } from '../../lib/log.ts';
import { newId } from '../../lib/new-id.ts';
import type { HeardTurn } from './hearing.ts';
import type { OrderedWrites } from './ordered-writes.ts';
import type { TalkPorts } from './talk-ports.ts';
import type { TalkTranscript } from './talk-transcript.ts';
import { createTurnTimes } from './turn-times.ts';

export interface TalkTurnsDependencies {
  ports: Pick<TalkPorts, 'beginTurn' | 'stopTurn' | 'saveTimes'>;
  writes: Pick<OrderedWrites, 'add'>;
  transcript: Pick<TalkTranscript, 'noteWords' | 'forget'>;
  /** Resolves when the bot has said everything. */
  whenHeard(): Promise<void>;
  onBegin(heard: HeardTurn): void;
  onEnd(): void;
  /** There is nothing left to answer. */
  onIdle(): void;
  onFailed(failure: 'no money' | 'too often' | 'once'): void;
  now(): number;
  log: Log;
}

/** The turns of a talk, one after the other. What the caller says during a turn is answered after it. */
export type TalkTurns = ReturnType<typeof createTalkTurns>;

/** A turn that is not over. */
interface OpenTurn {
  id: string;
  isPaused: boolean;
  isStopping: boolean;
  tools: Set<string>;
}

const maxFailures = 3;

export function createTalkTurns(dependencies: TalkTurnsDependencies) {
  const { ports, writes, transcript, whenHeard, onBegin, onEnd, onIdle, onFailed, log } = dependencies;
  const times = createTurnTimes(dependencies.now);
  let turn: OpenTurn | undefined;
  /** What the caller said while a turn could not be interrupted, or until it was. */
  let queued: HeardTurn | undefined;
  let failures = 0;
  let isEnding = false;
  const ends: (() => void)[] = [];

  function begin(heard: HeardTurn): void {
    const id = newId();
    turn = { id, isPaused: false, isStopping: false, tools: new Set() };
    times.begin(id, heard);
    onBegin(heard);
    // After what is being written: the model must see the reply as it was heard.
    writes.add(() =>
      ports.beginTurn(id, heard.text).catch((error: unknown) => {
        log.warn({ err: error }, 'A turn of a call could not begin.');
        transcript.noteWords(heard.text);
        end(id, 'failed', error instanceof AppError ? error.code : undefined);
      }),
    );
  }

  function stop(): void {
    if (!turn || turn.isStopping) return;
    turn.isStopping = true;
    writes.add(() => ports.stopTurn());
  }

  /**
   * A tool that was started must end, and a person's decision is waited for. Otherwise the turn is stopped: true. With an id, only
   * that turn.
   */
  function stopForCaller(turnId?: string): boolean {
    if (!turn || turn.id !== (turnId ?? turn.id) || turn.isPaused || turn.tools.size > 0) return false;
    stop();
    return true;
  }

  /** What was said during a call that is about to end is not answered any more. */
  function noteQueued(): void {
    if (queued) transcript.noteWords(queued.text);
    queued = undefined;
  }

  function end(turnId: string, outcome: 'completed' | 'interrupted' | 'failed', code?: string): void {
    if (turn?.id !== turnId) return;
    turn = undefined;
    onEnd();
    void whenHeard().then(() => save(turnId));
    for (const resolve of ends.splice(0)) resolve();
    failures = outcome === 'failed' ? failures + 1 : outcome === 'completed' ? 0 : failures;
    if (isEnding) return noteQueued();
    if (outcome === 'failed' && (code === 'INSUFFICIENT_BALANCE' || failures >= maxFailures)) {
      noteQueued();
      return onFailed(code === 'INSUFFICIENT_BALANCE' ? 'no money' : 'too often');
    }
    const next = queued;
    queued = undefined;
    if (next) begin(next);
    else if (outcome === 'failed') onFailed('once');
    else onIdle();
  }

  function save(turnId: string): void {
    transcript.forget(turnId);
    ports.saveTimes(turnId, times.take(turnId));
  }

  return {
    get isOpen() {
      return turn !== undefined;
    },
    get openId() {
      return turn?.id;
    },
    /** The turn whose reply is to be said. */
    get replyingId() {
      return turn && !turn.isStopping ? turn.id : undefined;
    },

    /** Answers the caller now, or after the turn that is open. */
    answer(heard: HeardTurn): 'answering' | 'later' | 'being checked' {
      if (!turn) {
        begin(heard);
        return 'answering';
      }
      queued = queued ? { ...heard, text: `${queued.text} ${heard.text}` } : heard;
      if (turn.isPaused) return 'being checked';
      stopForCaller();
      return 'later';
    },
    stopForCaller,

    toolStarted(callId: string): void {
      turn?.tools.add(callId);
    },
    toolCompleted(callId: string): void {
      turn?.tools.delete(callId);
    },
    /** False if it is another turn. */
    pause(turnId: string): boolean {
      if (turn?.id !== turnId) return false;
      turn.isPaused = true;
      return true;
    },
    resume(turnId: string): void {
      if (turn?.id === turnId) turn.isPaused = false;
    },
    end,

    noteText: times.noteText,
    noteSpeech: times.noteSpeech,
    noteInterrupted: times.noteInterrupted,

    /** Resolves when no turn is open. */
    over(): Promise<void> {
      return turn ? new Promise((resolve) => ends.push(resolve)) : Promise.resolve();
    },
    /** The call is about to end: no turn begins any more. */
    takeNoMore(): void {
      isEnding = true;
      if (!turn) noteQueued();
    },
    /** The call is over. */
    giveUp(): void {
      stop();
      noteQueued();
    },
    /** After that, what is known of a turn that has not reported its end is saved. */
    close(): void {
      if (turn) save(turn.id);
      turn = undefined;
      for (const resolve of ends.splice(0)) resolve();
    },
  };
}
