import { bytesPerMs, durationMs } from '../audio/format.ts';
import type { Speaker } from '../speech/speech.ts';
import type { Line } from '../transports/call-transport.ts';
import { heardPart } from './heard-part.ts';
import type { SpokenPiece } from './sentences.ts';
import { hasWords } from './speakable.ts';

/** What was heard of an utterance since the last silence. */
export interface HeardUtterance {
  utteranceId: string;
  text: string;
  /** Whether that is all of it that was to be said so far. */
  isWhole: boolean;
}

interface Piece {
  utteranceId: string;
  text: string;
  spoken: string;
  /** The audio synthesised so far. */
  audio: Buffer[];
  madeMs: number;
  isMade: boolean;
  isBegun: boolean;
  /** How many of its buffers were sent. */
  sent: number;
  /** Where it begins in what the line plays; undefined until it is sent. */
  startMs: number | undefined;
  /** How much of it was heard before it was paused, and where it continues. */
  heardMs: number;
  resumeMs: number;
}

/** How many pieces are synthesised ahead. */
const piecesAhead = 2;
/** Nothing is synthesised while this much waits to be played, so that an interrupted reply costs less. */
const enoughMs = 8_000;
const lookEveryMs = 100;
/** After a pause, the last syllable is repeated. */
const repeatMs = 200;
/** A guess for pieces whose sound is not complete. */
const msPerCharacter = 65;

/** What the bot says on a line, piece by piece. A piece belongs to an utterance, such as one message. */
export function createSpeaking(dependencies: {
  line: Line;
  speaker: Speaker;
  /** A piece is sent; `said` is the text that is spoken of it, and `inMs` the time until it starts playing. */
  onSaid(utteranceId: string, said: string, inMs: number): void;
  /** Everything queued has been played. Never called before `say` returns. */
  onSilent(heard: HeardUtterance[]): void;
  /** The speaker failed for good. What was not heard can still be discarded. */
  onFailure(error: unknown): void;
  /** This many characters were synthesised. */
  onSpoken(characters: number): void;
}) {
  const { line, speaker, onSaid, onSilent, onFailure, onSpoken } = dependencies;
  /** Everything that belongs to an utterance which is not over, in order. */
  let pieces: Piece[] = [];
  const making = new Map<Piece, AbortController>();
  let isPaused = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  const waiting: (() => void)[] = [];

  /** Synthesises and sends what is due. */
  function advance(): void {
    sendMade();
    if (!isPaused) makeNext();
    keepLooking();
  }

  /** The same, and forgets what was heard. */
  function look(): void {
    if (isClosed) return;
    const isOver = !isPaused && pieces.length > 0 && pieces.every(isHeard);
    if (!isOver) return advance();
    const heard = heardUtterances();
    pieces = [];
    settle();
    onSilent(heard);
    keepLooking();
  }

  function settle(): void {
    for (const resolve of waiting.splice(0)) resolve();
  }

  function keepLooking(): void {
    const isNeeded = pieces.length > 0 && !isPaused && !isClosed;
    if (isNeeded) timer ??= setInterval(look, lookEveryMs).unref();
    else stopLooking();
  }

  function stopLooking(): void {
    clearInterval(timer);
    timer = undefined;
  }

  function makeNext(): void {
    for (const piece of pieces) {
      if (piece.isMade || making.has(piece)) continue;
      const ahead = pieces.filter((one) => !one.isMade && making.has(one)).length;
      if (ahead >= piecesAhead || line.queuedMs - line.playedMs > enoughMs) return;
      void make(piece);
    }
  }

  async function make(piece: Piece): Promise<void> {
    const abort = new AbortController();
    making.set(piece, abort);
    try {
      const onAudio = (audio: Buffer) => {
        if (audio.length === 0 || abort.signal.aborted) return;
        piece.audio.push(audio);
        piece.madeMs += durationMs(line.format, audio);
        sendMade();
      };
      onSpoken(piece.spoken.length);
      await speaker.say(piece.spoken, onAudio, abort.signal);
    } catch (error) {
      if (!abort.signal.aborted) onFailure(error);
    } finally {
      making.delete(piece);
      piece.isMade = true;
      look();
    }
  }

  /** Sends the synthesised audio in order: a piece waits until those before it are complete. */
  function sendMade(): void {
    if (isPaused || isClosed) return;
    for (const piece of pieces) {
      while (piece.sent < piece.audio.length) {
        const audio = piece.audio[piece.sent];
        piece.sent += 1;
        if (!audio) continue;
        const inMs = line.queuedMs - line.playedMs;
        piece.startMs ??= line.queuedMs - piece.resumeMs;
        line.send(audio);
        if (piece.isBegun) continue;
        piece.isBegun = true;
        onSaid(piece.utteranceId, piece.spoken, inMs);
      }
      if (!piece.isMade) return;
    }
  }

  function heardMsOf({ startMs, heardMs, madeMs }: Piece): number {
    if (startMs === undefined) return heardMs;
    return Math.min(madeMs, Math.max(heardMs, line.playedMs - startMs));
  }

  function isHeard(piece: Piece): boolean {
    return piece.isMade && piece.sent === piece.audio.length && heardMsOf(piece) >= piece.madeMs - 1;
  }

  /** Stops in the middle of a word, and keeps the rest. Does nothing while nothing is said. */
  function pause(): void {
    if (isPaused || pieces.length === 0) return;
    isPaused = true;
    stopLooking();
    // The line knows best what it has played.
    line.clear();
    for (const piece of pieces) piece.heardMs = heardMsOf(piece);
    for (const piece of pieces) rewind(piece);
  }

  /** What was not heard is sent again after the pause. */
  function rewind(piece: Piece): void {
    piece.startMs = undefined;
    const isOver = piece.isMade && piece.heardMs >= piece.madeMs - 1;
    // Whole milliseconds are whole samples in every format.
    piece.resumeMs = Math.floor(isOver ? piece.madeMs : Math.max(0, piece.heardMs - repeatMs));
    const all = Buffer.concat(piece.audio);
    const place = isOver ? all.length : piece.resumeMs * bytesPerMs(line.format);
    const parts = [all.subarray(0, place), all.subarray(place)];
    piece.audio = parts.filter(({ length }) => length > 0);
    piece.sent = place > 0 ? 1 : 0;
  }

  function heardUtterances(): HeardUtterance[] {
    return [...Map.groupBy(pieces, (piece) => piece.utteranceId)].map(([utteranceId, own]) => {
      const end = own.findIndex((piece) => !isHeard(piece));
      const whole = end === -1 ? own : own.slice(0, end);
      const begun = own[whole.length];
      const text =
        whole.map((piece) => piece.text).join('') + (begun ? heardTextOf(begun, heardMsOf(begun)) : '');
      return { utteranceId, text, isWhole: begun === undefined };
    });
  }

  /** Discards what was not heard, and returns what was heard of the utterances since the last silence. */
  function discard(): HeardUtterance[] {
    pause();
    const heard = heardUtterances();
    for (const abort of making.values()) abort.abort();
    pieces = [];
    isPaused = false;
    settle();
    return heard;
  }

  return {
    /** Queues a piece after everything queued before. */
    say(utteranceId: string, { text, spoken }: SpokenPiece): void {
      if (isClosed) return;
      const isSilent = !hasWords(spoken);
      pieces.push({
        utteranceId,
        text,
        spoken,
        audio: [],
        madeMs: 0,
        // A piece without words counts as heard together with the piece before it.
        isMade: isSilent,
        isBegun: false,
        sent: 0,
        startMs: undefined,
        heardMs: 0,
        resumeMs: 0,
      });
      advance();
    },
    /** About how long it takes until everything queued has been played. */
    get remainingMs(): number {
      return pieces.reduce((sum, piece) => sum + wholeMsOf(piece) - heardMsOf(piece), 0);
    },
    /** What was heard so far of the utterances since the last silence. */
    heard: heardUtterances,
    /** Resolves when everything was played or discarded. */
    silent(): Promise<void> {
      return pieces.length === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve));
    },
    pause,
    /** Continues where it was paused. */
    resume(): void {
      if (!isPaused) return;
      isPaused = false;
      look();
    },
    discard,
    /** Stops speaking for good. */
    close(): void {
      if (isClosed) return;
      discard();
      isClosed = true;
      stopLooking();
    },
  };
}

function wholeMsOf({ spoken, madeMs, isMade }: Piece): number {
  return isMade ? madeMs : Math.max(madeMs, spoken.length * msPerCharacter);
}

function heardTextOf(piece: Piece, heardMs: number): string {
  return piece.madeMs === 0 ? '' : heardPart(piece.text, heardMs / wholeMsOf(piece));
}
