import type { Database } from '../../database/database.ts';
import { chunkStore } from '../chunks/chunks.store.ts';
import type { EmbedMissing } from '../embedding/embed-missing.ts';
import { type ClaimedJob, writeWithin } from './stage-write.ts';

export interface EmbedSourceDependencies {
  database: Database;
  embedMissing: EmbedMissing;
  /** Consoles read the progress a moment later, when it is committed. */
  noteProgress(): void;
}

/** Embeds every passage in batches: finished batches are kept, and are not paid for again. */
export async function embedSource(
  job: ClaimedJob,
  progress: { from: number; now: number },
  { database, embedMissing, noteProgress }: EmbedSourceDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { workspaceId, knowledgeId } = job;
  const { from, now } = progress;
  const total = await chunkStore.countChunks(database.within(workspaceId), workspaceId, knowledgeId);
  let done = total * Math.max(0, (now - from) / (1 - from));
  await embedMissing({ workspaceId, knowledgeId }, signal, async (tx, kept) => {
    done = Math.min(done + kept, total);
    // There was progress, so a later failure is not a repeat of an earlier one.
    await writeWithin(tx, job, { processingProgress: from + ((1 - from) * done) / total, attempts: 0 });
    noteProgress();
  });
}
