import type { Clock } from '../../clock.ts';
import { isConnectionFailure } from '../../database/database.ts';
import { createFairQueue, type FairQueue } from '../../fair-queue.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { type JobHandler, type JobQueue, ServiceStopped } from '../../jobs/queue.ts';
import type { Log } from '../../log.ts';
import type { Extractor } from '../extraction/extract.ts';
import { SourceFailure } from '../source-failure.ts';
import { knowledgeStore, type SourceRow } from '../store.ts';
import type { FetchPage } from '../web/fetch-page.ts';
import { WaitedTooLong } from '../web/waited-too-long.ts';
import { type EmbedSourceDependencies, embedSource } from './embed-source.ts';
import { type ExplainedFailure, explainFailure } from './explain-failure.ts';
import { enqueueIngestion, type Ingestion, queueFor } from './queue.ts';
import { type ReadSourceDependencies, readSource } from './read-source.ts';
import { splitSource } from './split-source.ts';
import { type ClaimedJob, Outdated, writeStage } from './stage-write.ts';

export interface IngestionDependencies extends ReadSourceDependencies, EmbedSourceDependencies {
  extractor: Extractor;
  fetchPage: FetchPage;
  jobs: Pick<Jobs, 'enqueue'>;
  clock: Clock;
  log: Log;
}

/** How far a source is when a stage is done. */
const progress = { read: 0.3, split: 0.4 };
/** In a row, in which nothing was got done. */
const mostAttempts = 6;
const firstPauseMilliseconds = 2_000;
const pauseAfterWaitMilliseconds = 30_000;
/** Many pages may have been read at the same time; models are asked for few of them at once. */
const embeddedAtOnce = { concurrency: 8, perGroup: 6 };

/**
 * Makes a source answer: reads it, splits it into passages (from then on it is found by its words) and embeds them. Each
 * stage starts from what is written, so that a job can be cut off anywhere and done again. Wherever there is something to
 * wait for (a host, the reader of documents, a model), workspaces take turns.
 */
export function createIngestion(
  dependencies: IngestionDependencies,
): (queue: JobQueue<Ingestion>) => JobHandler<Ingestion> {
  const { database, clock } = dependencies;
  const embedding = createFairQueue(embeddedAtOnce);
  return (queue) => async (asked, signal) => {
    const source = await knowledgeStore.claim(database.query, asked.workspaceId, asked);
    if (!source) return;
    const job = { ...asked, fence: source.fence };
    try {
      // Pages once waited among the texts and files, where they would hold the few places while they wait for hosts.
      if (queue !== queueFor(source.contentType)) return await putBack(job, source, dependencies);
      await processSource(job, source, { ...dependencies, embedding }, signal);
    } catch (error) {
      // A restart is not the source's fault, and does not count.
      if (signal.reason instanceof ServiceStopped)
        await knowledgeStore.giveBack(database.query, asked.workspaceId, job);
      signal.throwIfAborted();
      if (error instanceof Outdated) return;
      if (error instanceof WaitedTooLong) {
        const startAfter = new Date(clock.now().getTime() + pauseAfterWaitMilliseconds);
        return putBack(job, source, dependencies, startAfter);
      }
      const failure = explainFailure(error);
      // Without the database nothing can be said of it either: the job itself comes again. What somebody foresaw is
      // no such thing, even if it began with a connection as well.
      if (failure.isUnexpected && isConnectionFailure(error)) throw error;
      await writeFailure({ ...job, contentType: source.contentType }, failure, error, dependencies);
    }
  };
}

async function processSource(
  job: ClaimedJob,
  source: SourceRow,
  dependencies: IngestionDependencies & { embedding: FairQueue },
  signal: AbortSignal,
): Promise<void> {
  const { database, embedding } = dependencies;
  if (source.attempts > mostAttempts) {
    throw new SourceFailure(
      `It could not be processed, although it was tried ${mostAttempts} times: refresh it to try once more, or split it into smaller parts and add those.`,
    );
  }
  if (source.processingProgress < progress.split) await readAndSplit(job, source, dependencies, signal);
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

/** Another job does it, as if this one had never begun. */
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
 * It has failed, or waits to be tried again: by a job of its own, so that this one leaves nothing to be repaired. The reason is
 * there to be read either way, until an attempt succeeds.
 */
async function writeFailure(
  job: ClaimedJob & Pick<SourceRow, 'contentType'>,
  { reason, passing, isUnexpected }: ExplainedFailure,
  error: unknown,
  { database, jobs, clock, log }: IngestionDependencies,
): Promise<void> {
  const { workspaceId, knowledgeId } = job;
  // As it is written: where something was got done in between, this is the first attempt that came to nothing.
  const attempts = Math.max(1, await knowledgeStore.countAttempts(database.query, workspaceId, knowledgeId));
  const about = { knowledge_id: knowledgeId, attempt: attempts, reason };
  if (isUnexpected) log.error({ ...about, err: error }, 'A source could not be processed.');
  else log.info(about, 'A source could not be processed.');
  try {
    if (!passing || attempts >= mostAttempts) {
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
