import type { Queryable, Transaction } from '../../database/database.ts';
import { and, eq, inArray, isNull, sql } from '../../database/drizzle.ts';
import {
  callRecordingParts as parts,
  type RecordingMark,
  callRecordings as recordings,
} from './call-recordings.tables.ts';

export type RecordingRow = typeof recordings.$inferSelect;

interface RecordingKey {
  workspaceId: string;
  callId: string;
}

export const callRecordingStore = {
  async insert(
    query: Queryable,
    workspaceId: string,
    recording: Pick<RecordingRow, 'callId' | 'botId' | 'sampleRate'>,
  ) {
    await query.insert(recordings).values({ ...recording, workspaceId });
  },

  /** Writes a part, and how long the recording is with it; harmless if it was written already. False if the recording is deleted, or moved. */
  async append(
    query: Queryable,
    { workspaceId, callId }: RecordingKey,
    part: { position: number; audio: Buffer; bytes: number; marks: readonly RecordingMark[] },
  ): Promise<boolean> {
    const { rowCount } = await query.execute(sql`
      with recording as (
        update ${recordings} set bytes = greatest(bytes, ${part.bytes}), marks = ${JSON.stringify(part.marks)}::json
        where call_id = ${callId} and workspace_id = ${workspaceId} and file_key is null returning call_id, workspace_id
      ), written as (
        insert into ${parts} (call_id, position, workspace_id, audio)
        select call_id, ${part.position}::integer, workspace_id, ${part.audio}::bytea from recording
        on conflict do nothing
      )
      select from recording`);
    return (rowCount ?? 0) > 0;
  },

  async find(query: Queryable, { workspaceId, callId }: RecordingKey): Promise<RecordingRow | undefined> {
    const isOne = and(eq(recordings.callId, callId), eq(recordings.workspaceId, workspaceId));
    return (await query.select().from(recordings).where(isOne))[0];
  },

  list(query: Queryable, workspaceId: string, callIds: readonly string[]) {
    const { callId, bytes, sampleRate } = recordings;
    return query
      .select({ callId, bytes, sampleRate })
      .from(recordings)
      .where(and(eq(recordings.workspaceId, workspaceId), inArray(callId, [...callIds])));
  },

  async readPart(
    query: Queryable,
    { workspaceId, callId }: RecordingKey,
    position: number,
  ): Promise<Buffer | undefined> {
    const isOne = and(
      eq(parts.callId, callId),
      eq(parts.workspaceId, workspaceId),
      eq(parts.position, position),
    );
    return (await query.select({ audio: parts.audio }).from(parts).where(isOne))[0]?.audio;
  },

  /** The object has so many bytes of sound. False if the recording is deleted, moved already or longer, and nothing was changed. */
  async moveToFile(
    tx: Transaction,
    { workspaceId, callId }: RecordingKey,
    { fileKey, bytes }: { fileKey: string; bytes: number },
  ): Promise<boolean> {
    const isOne = and(eq(recordings.callId, callId), eq(recordings.workspaceId, workspaceId));
    const moved = await tx
      .update(recordings)
      .set({ fileKey })
      .where(and(isOne, isNull(recordings.fileKey), eq(recordings.bytes, bytes)))
      .returning({ callId: recordings.callId });
    if (moved.length === 0) return false;
    await tx.delete(parts).where(and(eq(parts.callId, callId), eq(parts.workspaceId, workspaceId)));
    return true;
  },

  async delete(query: Queryable, { workspaceId, callId }: RecordingKey): Promise<void> {
    await query
      .delete(recordings)
      .where(and(eq(recordings.callId, callId), eq(recordings.workspaceId, workspaceId)));
  },
};
