import type { Transaction } from '../../database/database.ts';
import type { JobQueue } from '../../jobs/queue.ts';
import { wavHeaderBytes } from '../../lib/wav-header.ts';
import type { Services } from '../../services.ts';
import type { CallKey } from '../voice-calls.store.ts';
import { callRecordingStore } from './call-recordings.store.ts';

interface EndedRecording {
  workspaceId: string;
  callId: string;
}

/** The recording can be heard all the time, so there is no hurry, even if the bucket is down for days. */
const recordingQueue: JobQueue<EndedRecording> = {
  name: 'recordings-to-bucket',
  retryLimit: 100,
  retryDelaySeconds: 5,
  retryDelayMaxSeconds: 3_600,
  expireSeconds: 1_800,
  concurrency: { total: 4, perWorkspace: 2 },
};

export type RecordingMover = ReturnType<typeof createRecordingMover>;

/** Moves the recordings of calls that are over from the database to the bucket. It defines jobs, so it has to run before they start. */
export function createRecordingMover({
  database,
  files,
  jobs,
  callRecordings,
}: Pick<Services, 'callRecordings' | 'database' | 'files' | 'jobs'>) {
  const isLeft = async ({ workspaceId, callId }: EndedRecording) =>
    (await callRecordings.find(workspaceId, callId))?.fileKey === null;

  /** May be repeated at any point: until the row names its object, the parts are what is heard. */
  async function move(recording: EndedRecording, signal: AbortSignal): Promise<void> {
    if (!(await isLeft(recording))) return;
    try {
      await moveLeft(recording, signal);
    } catch (error) {
      // Erased meanwhile, or moved by another node that had been given up.
      if (await isLeft(recording)) throw error;
    }
  }

  async function moveLeft({ workspaceId, callId }: EndedRecording, signal: AbortSignal): Promise<void> {
    const { length, read } = await callRecordings.open(workspaceId, callId);
    const content = { chunks: await read({ start: 0, end: length }), length };
    await files.store(
      workspaceId,
      [content],
      ([fileKey = '']) =>
        database.within(workspaceId).transaction(async (tx) => {
          const moved = { fileKey, bytes: length - wavHeaderBytes };
          if (!(await callRecordingStore.moveToFile(tx, { workspaceId, callId }, moved)))
            throw new Error('The recording has changed while it was copied.');
          await files.keep(tx, workspaceId, fileKey);
        }),
      signal,
    );
  }

  jobs.define(recordingQueue, move);
  return {
    /** In the transaction that ends the call. */
    async plan(tx: Transaction, { id: callId, workspaceId }: CallKey): Promise<void> {
      if (!files.hasBucket || !(await callRecordingStore.find(tx, { workspaceId, callId }))) return;
      await jobs.enqueue(tx, recordingQueue, { workspaceId, callId });
    },
  };
}
