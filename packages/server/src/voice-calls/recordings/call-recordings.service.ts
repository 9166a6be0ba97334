import type { Transaction } from '../../database/database.ts';
import { AppError, notFound } from '../../lib/app-error.ts';
import { type ByteRange } from '../../lib/byte-range.ts';
import { type WavFormat, wavHeader, wavHeaderBytes } from '../../lib/wav-header.ts';
import type { Services } from '../../services.ts';
import type { CallKey, VoiceCallRow } from '../voice-calls.store.ts';
import { callRecordingStore, type RecordingRow } from './call-recordings.store.ts';
import type { RecordingMark } from './call-recordings.tables.ts';

export type { RecordingMark } from './call-recordings.tables.ts';

/** The caller and the bot, each with a byte per sample. */
export const recordedChannels = 2;
const partSeconds = 5;
/** In µ-law. */
export const silentByte = 0xff;

/** How long the parts of a recording are. */
export function partBytesOf(sampleRate: number): number {
  return sampleRate * recordedChannels * partSeconds;
}

function recordedMs({ bytes, sampleRate }: Pick<RecordingRow, 'bytes' | 'sampleRate'>): number {
  return Math.round((bytes / recordedChannels / sampleRate) * 1_000);
}

export interface RecordingFile {
  length: number;
  /** A few seconds of sound at a time. Throws if it cannot begin. */
  read(range: ByteRange): Promise<AsyncGenerator<Buffer>>;
}

export type CallRecordings = ReturnType<typeof createCallRecordings>;

/**
 * The sound of calls: in the database while they last, and then in the bucket if there is one. Any node can read it, and it is erased
 * with its conversation.
 */
export function createCallRecordings({ database, files }: Pick<Services, 'database' | 'files'>) {
  const find = ({ workspaceId, callId }: Pick<RecordingRow, 'workspaceId' | 'callId'>) =>
    callRecordingStore.find(database.within(workspaceId), { workspaceId, callId });

  async function read(row: RecordingRow, range: ByteRange): Promise<AsyncGenerator<Buffer>> {
    if (row.fileKey === null) return readParts(row, range);
    const chunks = await files.open(row.fileKey, range);
    if (!chunks) throw new AppError('NOT_FOUND', { message: 'The recording is not in the bucket any more.' });
    return chunks;
  }

  async function* readParts(row: RecordingRow, { start, end }: ByteRange): AsyncGenerator<Buffer> {
    const { workspaceId, callId, bytes, sampleRate } = row;
    const format: WavFormat = { code: 7, sampleRate, channels: recordedChannels, bytesPerSample: 1 };
    const partBytes = partBytesOf(sampleRate);
    if (start < wavHeaderBytes) yield wavHeader(format, bytes).subarray(start, end);
    for (let at = Math.max(start - wavHeaderBytes, 0); at < end - wavHeaderBytes; ) {
      const position = Math.floor(at / partBytes);
      const audio = await callRecordingStore.readPart(
        database.within(workspaceId),
        { workspaceId, callId },
        position,
      );
      if (!audio) {
        // It was moved while it was being read, or erased.
        const moved = await find(row);
        if (!moved || moved.fileKey === null) throw notFound();
        yield* await read(moved, { start: at + wavHeaderBytes, end });
        return;
      }
      const from = at - position * partBytes;
      const to = Math.min(partBytes, end - wavHeaderBytes - position * partBytes);
      // What a part lacks is silence, so that what follows is heard when it was said.
      const piece = Buffer.alloc(to - from, silentByte);
      audio.subarray(from, to).copy(piece);
      yield piece;
      at += piece.length;
    }
  }

  return {
    async begin(
      { id: callId, workspaceId, botId }: Pick<VoiceCallRow, 'id' | 'workspaceId' | 'botId'>,
      sampleRate: number,
    ): Promise<void> {
      await callRecordingStore.insert(database.within(workspaceId), workspaceId, {
        callId,
        botId,
        sampleRate,
      });
    },

    /** False if the recording was deleted or moved, and no more of it is to be written. */
    append: (
      { id: callId, workspaceId }: CallKey,
      part: { position: number; audio: Buffer; bytes: number; marks: readonly RecordingMark[] },
    ): Promise<boolean> =>
      callRecordingStore.append(database.within(workspaceId), { workspaceId, callId }, part),

    find: (workspaceId: string, callId: string): Promise<RecordingRow | undefined> =>
      find({ workspaceId, callId }),

    /** How long the recordings of these calls are; calls without one are left out. */
    async lengthsOf(workspaceId: string, callIds: readonly string[]): Promise<Map<string, number>> {
      if (callIds.length === 0) return new Map();
      const rows = await callRecordingStore.list(database.within(workspaceId), workspaceId, callIds);
      return new Map(rows.map((row) => [row.callId, recordedMs(row)]));
    },

    /** The recording of a call as a WAV file, as far as it is written. Throws NOT_FOUND if there is none. */
    async open(workspaceId: string, callId: string): Promise<RecordingFile> {
      const row = await find({ workspaceId, callId });
      if (!row || row.bytes === 0) throw notFound();
      return { length: wavHeaderBytes + row.bytes, read: (range) => read(row, range) };
    },

    /** A call that is not over is not recorded any further. */
    delete: (tx: Transaction, workspaceId: string, callId: string): Promise<void> =>
      callRecordingStore.delete(tx, { workspaceId, callId }),
  };
}
