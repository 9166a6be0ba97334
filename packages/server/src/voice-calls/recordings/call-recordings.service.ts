import type { Transaction } from '../../database/database.ts';
import { notFound } from '../../lib/app-error.ts';
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

/** How long the parts of a recording are. */
export function partBytesOf(sampleRate: number): number {
  return sampleRate * recordedChannels * partSeconds;
}

function recordedMs({ bytes, sampleRate }: Pick<RecordingRow, 'bytes' | 'sampleRate'>): number {
  return Math.round((bytes / recordedChannels / sampleRate) * 1_000);
}

export interface RecordingFile {
  length: number;
  /** A few seconds of sound at a time. */
  read(range: ByteRange): AsyncGenerator<Buffer>;
}

export type CallRecordings = ReturnType<typeof createCallRecordings>;

/** The sound of calls, in the database like documents: any node can read it, and it is erased with its conversation. */
export function createCallRecordings({ database }: Pick<Services, 'database'>) {
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

    /** False if the recording was deleted, and no more of it is to be written. */
    append: (
      { id: callId, workspaceId }: CallKey,
      part: { position: number; audio: Buffer; bytes: number; marks: readonly RecordingMark[] },
    ): Promise<boolean> =>
      callRecordingStore.append(database.within(workspaceId), { workspaceId, callId }, part),

    find: (workspaceId: string, callId: string): Promise<RecordingRow | undefined> =>
      callRecordingStore.find(database.within(workspaceId), { workspaceId, callId }),

    /** How long the recordings of these calls are; calls without one are left out. */
    async lengthsOf(workspaceId: string, callIds: readonly string[]): Promise<Map<string, number>> {
      if (callIds.length === 0) return new Map();
      const rows = await callRecordingStore.list(database.within(workspaceId), workspaceId, callIds);
      return new Map(rows.map((row) => [row.callId, recordedMs(row)]));
    },

    /** The recording of a call as a WAV file, as far as it is written. Throws NOT_FOUND if there is none. */
    async open(workspaceId: string, callId: string): Promise<RecordingFile> {
      const row = await callRecordingStore.find(database.within(workspaceId), { workspaceId, callId });
      if (!row || row.bytes === 0) throw notFound();
      const { bytes, sampleRate } = row;
      const format: WavFormat = { code: 7, sampleRate, channels: recordedChannels, bytesPerSample: 1 };
      const partBytes = partBytesOf(sampleRate);

      async function* read({ start, end }: ByteRange): AsyncGenerator<Buffer> {
        if (start < wavHeaderBytes) yield wavHeader(format, bytes).subarray(start, end);
        for (let at = Math.max(start - wavHeaderBytes, 0); at < end - wavHeaderBytes; ) {
          const position = Math.floor(at / partBytes);
          const audio = await callRecordingStore.readPart(
            database.within(workspaceId),
            { workspaceId, callId },
            position,
          );
          // It was erased while it was being read.
          if (!audio) throw notFound();
          const piece = audio.subarray(
            at - position * partBytes,
            end - wavHeaderBytes - position * partBytes,
          );
          yield piece;
          at += piece.length;
        }
      }

      return { length: wavHeaderBytes + bytes, read };
    },

    /** A call that is not over is not recorded any further. */
    delete: (tx: Transaction, workspaceId: string, callId: string): Promise<void> =>
      callRecordingStore.delete(tx, { workspaceId, callId }),
  };
}
