import type { Transaction } from '../database/database.ts';
import { AppError } from '../lib/app-error.ts';
import type { ByteRange } from '../lib/byte-range.ts';
import { newId } from '../lib/new-id.ts';
import type { Services } from '../services.ts';
import type { Bucket, FileContent } from './bucket.ts';
import { BucketError } from './bucket-error.ts';
import { fileStore } from './files.store.ts';

/** How many objects are deleted concurrently. */
const batchSize = 50;

export type FileService = ReturnType<typeof createFileService>;

/**
 * Large files in a bucket. An object belongs to the row that names its key, and is deleted when that row is: the database itself
 * queues it, whatever deletes the row. Keys begin with the workspace, and are the same wherever the bucket is.
 */
export function createFileService({ database }: Pick<Services, 'database'>, bucket: Bucket | undefined) {
  /** Undefined if the object is gone. */
  async function open(key: string, range?: ByteRange): Promise<AsyncGenerator<Buffer> | undefined> {
    if (!bucket) throw new AppError('NOT_READY', { message: notSet });
    try {
      return await bucket.read(key, range);
    } catch (error) {
      if (error instanceof BucketError && error.kind === 'missing') return undefined;
      throw unavailable(error);
    }
  }

  return {
    /** Whether new files are written to the bucket. */
    hasBucket: bucket !== undefined,

    /**
     * Writes objects, and then does the work: a transaction with rows that name them, in which each is kept. An object that is not
     * kept is deleted: now if the work fails, and within the hour if anything else does, or if this process is killed.
     */
    async store<Result>(
      workspaceId: string,
      contents: readonly FileContent[],
      work: (keys: string[]) => Promise<Result>,
      signal?: AbortSignal,
    ): Promise<Result> {
      if (!bucket) throw new AppError('NOT_READY', { message: notSet });
      const own = database.within(workspaceId);
      const keys = contents.map(() => `${workspaceId}/${newId()}`);
      await fileStore.plan(own, workspaceId, keys);
      const write = async (content: FileContent, index: number) =>
        bucket.write(keys[index] ?? '', content, signal);
      // A write that failed may still be carried out, so its object is deleted later.
      await Promise.all(contents.map(write)).catch((error: unknown) => {
        throw unavailable(error);
      });
      try {
        return await work(keys);
      } catch (error) {
        // If the transaction was committed nevertheless, these are no longer planned. If this fails too, they are due within the hour.
        await fileStore.makeDue(own, workspaceId, keys).catch(() => undefined);
        throw error;
      }
    },

    /** In the transaction that writes the row. */
    async keep(tx: Transaction, workspaceId: string, key: string): Promise<void> {
      if (await fileStore.cancel(tx, workspaceId, key)) return;
      throw new Error('A file was deleted before its row was written.');
    },

    open,

    /** The whole object; undefined if it is gone. */
    async read(key: string, signal: AbortSignal): Promise<Buffer | undefined> {
      const chunks = await open(key);
      if (!chunks) return undefined;
      const read: Buffer[] = [];
      try {
        for await (const chunk of chunks) {
          signal.throwIfAborted();
          read.push(chunk);
        }
      } catch (error) {
        throw unavailable(error);
      }
      return Buffer.concat(read);
    },

    /** Deletes the objects that are due. Several nodes may do so at the same time. */
    async deleteDue(): Promise<void> {
      if (!bucket) return;
      for (;;) {
        const keys = await fileStore.takeDueAcrossWorkspaces(database.acrossWorkspaces, batchSize);
        const outcomes = await Promise.allSettled(keys.map((key) => bucket.delete(key)));
        const deleted = keys.filter((_key, index) => outcomes[index]?.status === 'fulfilled');
        await fileStore.deleteAcrossWorkspaces(database.acrossWorkspaces, deleted);
        const failure = outcomes.find((outcome) => outcome.status === 'rejected');
        if (failure) throw failure.reason;
        if (keys.length < batchSize) return;
      }
    },
  };
}

const notSet = 'This file is in a bucket, and the variable SVC_FILES, which names the bucket, is not set.';

/** What went wrong is for the log. */
function unavailable(error: unknown): unknown {
  if (!(error instanceof BucketError)) return error;
  const message = 'The storage for files does not work at the moment: try again later.';
  return new AppError('NOT_READY', { message, cause: error });
}
