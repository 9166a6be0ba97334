import { isConnectionFailure } from '../../database/database.ts';
import type { NoteChange } from '../../events/workspace-changes.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { type JobHandler, type JobQueue, ServiceStopped } from '../../jobs/queue.ts';
import type { Clock } from '../../lib/clock.ts';
import { createFairQueue, type FairQueue } from '../../lib/fair-queue.ts';
import type { Log } from '../../lib/log.ts';
import type { Extractor } from '../extraction/extract.ts';
import { knowledgeStore, type SourceRow } from '../knowledge.store.ts';
import { SourceFailure } from '../source-failure.ts';
import type { FetchPage } from '../web/fetch-source-page.ts';
import { WaitedTooLong } from '../web/waited-too-long.ts';
import { type EmbedSourceDependencies, embedSource } from './embed-source.ts';
import { type ExplainedFailure, explainFailure } from './explain-ingestion-failure.ts';
import { enqueueIngestion, type Ingestion, queueFor } from './ingestion.queue.ts';
import { type ReadSourceDependencies, readSource } from './read-source.ts';
import { splitSource } from './split-source.ts';
import { type ClaimedJob, Outdated, writeStage } from './stage-write.ts';

export interface IngestionDependencies
  extends ReadSourceDependencies,
    Omit<EmbedSourceDependencies, 'noteProgress'> {
  extractor: Extractor;
  fetchPage: FetchPage;
  jobs: Pick<Jobs, 'enqueue'>;
  noteChange: NoteChange;
  clock: Clock;
  log: Log;
}

/** A source's progress when a stage is done. */
const progress = { read: 0.3, split: 0.4 };
/** Consecutive attempts without progress. */
const maxAttempts = 6;
const firstPauseMilliseconds = 2_000;
const pauseAfterWaitMilliseconds = 30_000;
/** Many pages may be read at the same time, but only a few are embedded concurrently. */
const embeddingConcurrency = { concurrency: 8, perGroup: 6 };

/**
 * Processes a source: reads it, splits it into passages (from then on keyword search finds it) and embeds them. Each stage
 * starts from what is stored, so that a job can be interrupted anywhere and repeated. Wherever there is something to wait
 * for (a host, the document reader, a model), workspaces take turns.
 */
export function createIngestion(
  dependencies: IngestionDependencies,
): (queue: JobQueue<Ingestion>) => JobHandler<Ingestion> {
  const { database, clock } = dependencies;
  const embedding = createFairQueue(embeddingConcurrency);
  return (queue) => async (asked, signal) => {
    const source = await knowledgeStore.claim(database.within(asked.workspaceId), asked.workspaceId, asked);
    if (!source) return;
    const job = { ...asked, fence: source.fence };
    const noteProgress = () => dependencies.noteChange(asked.workspaceId, 'knowledge', asked.knowledgeId);
    noteProgress();
    try {
      // Older jobs for pages may be in the queue of texts and files, where they would occupy the few places while waiting
      // for hosts.
      if (queue !== queueFor(source.contentType)) return await putBack(job, source, dependencies);
      await processSource(job, source, { ...dependencies, embedding, noteProgress }, signal);
    } catch (error) {
      // A restart is not the source's fault and does not count as an attempt.
      if (signal.reason instanceof ServiceStopped)
        await knowledgeStore.giveBack(database.within(asked.workspaceId), asked.workspaceId, job);
      signal.throwIfAborted();
      if (error instanceof Outdated) return;
      if (error instanceof WaitedTooLong) {
        const startAfter = new Date(clock.now().getTime() + pauseAfterWaitMilliseconds);
        await putBack(job, source, dependencies, startAfter);
        return;
      }
      const failure = explainFailure(error);
      // Without the database the failure cannot be recorded, so the job itself is retried. A foreseen failure is different, even
      // if a lost connection caused it.
      if (failure.isUnexpected && isConnectionFailure(error)) throw error;
      await writeFailure({ ...job, contentType: source.contentType }, failure, error, dependencies);
    } finally {
      noteProgress();
    }
  };
}

async function processSource(
  job: ClaimedJob,
  source: SourceRow,
  dependencies: IngestionDependencies & { embedding: FairQueue; noteProgress: () => void },
  signal: AbortSignal,
): Promise<void> {
  const { database, embedding, noteProgress } = dependencies;
  if (source.attempts > maxAttempts) {
    throw new SourceFailure(
      `It could not be processed, although it was tried ${maxAttempts} times: refresh it to try once more, or split it into smaller parts and add those.`,
    );
  }
  if (source.processingProgress < progress.split) await readAndSplit(job, source, dependencies, signal);
  noteProgress();
  const embedded = { from: progress.split, now: source.processingProgress };
  await embedding.run(job.workspaceId, signal, () => embedSource(job, embedded, dependencies, signal));
  await writeStage(database, job, {
    processingStatus: 'completed',
    processingProgress: 1,
    error: null,
    attempts: 0,
  });
}

async function readAndSplit(
  job: ClaimedJob,
  source: SourceRow,
  dependencies: IngestionDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { contentType, requestedUrl, sourceUrl, workspaceId } = source;
  const url = requestedUrl ?? sourceUrl ?? '';
  const page = contentType === 'url' ? await dependencies.fetchPage(url, signal, workspaceId) : undefined;
  try {
    const text = await readSource(source, page, dependencies, signal);
    await writeStage(dependencies.database, job, { processingProgress: progress.read });
    await splitSource(job, source, text, progress.split, dependencies, signal);
  } finally {
    page?.release();
  }
}

/** Leaves the source to another job, as if this one had never started. */
async function putBack(
  job: ClaimedJob,
  { contentType, attempts }: SourceRow,
  { database, jobs }: IngestionDependencies,
  startAfter?: Date,
): Promise<void> {
  try {
    await writeStage(database, job, { processingStatus: 'pending', attempts: attempts - 1 }, (tx) =>
      enqueueIngestion(jobs, tx, { ...job, contentType }, startAfter && { startAfter }),
    );
  } catch (failure) {
    if (!(failure instanceof Outdated)) throw failure;
  }
}

/**
 * Records the failure, or schedules another try as a new job, so that this one leaves nothing to repair. Either way the
 * reason is shown until an attempt succeeds.
 */
async function writeFailure(
  job: ClaimedJob & Pick<SourceRow, 'contentType'>,
  { reason, passing, isUnexpected }: ExplainedFailure,
  error: unknown,
  { database, jobs, clock, log }: IngestionDependencies,
): Promise<void> {
  const { workspaceId, knowledgeId } = job;
  // The stored count: after progress in between, this is the first failed attempt.
  const attempts = Math.max(
    1,
    await knowledgeStore.countAttempts(database.within(workspaceId), workspaceId, knowledgeId),
  );
  const about = { knowledge_id: knowledgeId, attempt: attempts, reason };
  if (isUnexpected) log.error({ ...about, err: error }, 'A source could not be processed.');
  else log.info(about, 'A source could not be processed.');
  try {
    if (!passing || attempts >= maxAttempts) {
      await writeStage(database, job, { processingStatus: 'failed', error: reason });
      return;
    }
    const startAfter = new Date(clock.now().getTime() + firstPauseMilliseconds * 2 ** (attempts - 1));
    await writeStage(database, job, { processingStatus: 'pending', error: reason }, (tx) =>
      enqueueIngestion(jobs, tx, job, { startAfter }),
    );
  } catch (failure) {
    if (!(failure instanceof Outdated)) throw failure;
  }
}
