import { isConnectionFailure } from '../../database/database.ts';
import type { Log } from '../../lib/log.ts';
import type { Services } from '../../services.ts';
import { partBytesOf, type RecordingMark } from '../../voice-calls/recordings/call-recordings.service.ts';
import type { VoiceCallRow } from '../../voice-calls/records/call-records.service.ts';
import { sampleRateOf } from '../audio/format.ts';
import { tapLine } from '../exchange/tap-line.ts';
import type { Line } from '../transports/call-transport.ts';
import { mixRecording } from './mix-recording.ts';

/** Without the database a minute is kept in memory; then the recording ends. */
const maxUnwritten = 12;
/** The first words of a sentence are recognized this long after they were begun. */
const recognitionMs = 700;

export interface RecordCallOptions {
  row: VoiceCallRow;
  line: Line;
  /** What is entered on the keypad must not be heard. */
  isKeypadMasked: boolean;
  log: Log;
}

/** Records a call from now on; undefined if that cannot begin. Nothing that fails here disturbs the call. */
export async function recordCall(
  { callRecordings }: Pick<Services, 'callRecordings'>,
  { row, line, isKeypadMasked, log }: RecordCallOptions,
) {
  const sampleRate = sampleRateOf(line.format);
  const partBytes = partBytesOf(sampleRate);
  try {
    await callRecordings.begin(row, sampleRate);
  } catch (error) {
    log.error({ err: error }, 'A call is not recorded: the recording could not begin.');
    return undefined;
  }
  const marks: RecordingMark[] = [];
  const marked = new Set<string>();
  /** When the caller began to say what is becoming a turn, and what has become one. */
  let speechAtMs: number | undefined;
  const heardAtMs: number[] = [];
  const unwritten: { position: number; audio: Buffer }[] = [];
  let position = 0;
  /** Nothing more is written. */
  let isOver = false;
  /** Nothing more is recorded: what the line still sends would follow a part that is not full. */
  let isClosed = false;
  let writing: Promise<void> = Promise.resolve();

  const mix = mixRecording({
    format: line.format,
    partBytes,
    now: () => performance.now(),
    playedMs: () => line.playedMs,
    onPart(audio) {
      if (!isOver && !isClosed) add(audio);
    },
  });

  function add(audio: Buffer): void {
    unwritten.push({ position, audio });
    position += 1;
    if (unwritten.length > maxUnwritten) {
      stop();
      log.error('The recording of a call ends here: it could not be written for a minute.');
    } else writing = writing.then(write);
  }

  function stop(): void {
    isOver = true;
    unwritten.length = 0;
  }

  /** Never rejects. What could not be written without the database is written with the next part. */
  async function write(): Promise<void> {
    for (let part = unwritten[0]; part && !isOver; part = unwritten[0]) {
      try {
        const bytes = part.position * partBytes + part.audio.length;
        // It may have been deleted: with its conversation, or because that was truncated.
        if (!(await callRecordings.append(row, { ...part, bytes, marks }))) return stop();
        unwritten.shift();
      } catch (error) {
        log.warn({ err: error }, 'A part of a recording could not be written.');
        if (!isConnectionFailure(error)) stop();
        return;
      }
    }
  }

  const recorded = tapLine(line, {
    caller: mix.caller,
    bot: mix.bot,
    clear: mix.clear,
    key() {
      if (isKeypadMasked) mix.mute();
    },
    show(notice) {
      if (notice.type === 'heard' && !notice.isFinal) speechAtMs ??= Math.max(0, mix.ms - recognitionMs);
      if (notice.type === 'heard' && notice.isFinal) {
        heardAtMs.push(speechAtMs ?? mix.ms);
        speechAtMs = undefined;
      }
      if (notice.type !== 'said' || marked.has(notice.id)) return;
      marked.add(notice.id);
      marks.push({ messageId: notice.id, atMs: Math.round(mix.ms) });
    },
  });

  return {
    /** What the talk uses in place of the line. */
    line: recorded,
    /** What was heard last begins this turn. */
    turn(turnId: string): void {
      const atMs = heardAtMs.shift();
      if (atMs !== undefined) marks.push({ turnId, atMs: Math.round(atMs) });
    },
    /** Writes what is left. Never rejects. */
    async close(): Promise<void> {
      const rest = mix.remainder();
      isClosed = true;
      if (!isOver && rest.length > 0) add(rest);
      await writing;
      if (unwritten.length > 0 && !isOver) log.warn('The last seconds of a recording could not be written.');
      isOver = true;
    },
  };
}
