import { errorCodes } from '@svc/contract/errors';
import { type Database, isConnectionFailure, type Transaction } from '../../database/database.ts';
import { type JobHandler, type JobQueue, ServiceStopped } from '../../jobs/queue.ts';
import { AppError } from '../../lib/app-error.ts';
import { createFairQueue, type FairQueue } from '../../lib/fair-queue.ts';
import type { Services } from '../../services.ts';
import { chunkStore } from '../chunks/chunks.store.ts';
import type { EmbedMissing } from '../embedding/embed-missing.ts';
import type { Extractor } from '../extraction/extract.ts';
import { type Claim, type KnowledgeChange, knowledgeStore, type SourceRow } from '../knowledge.store.ts';
import { SourceFailure } from '../source-failure.ts';
import type { FetchPage } from '../web/fetch-source-page.ts';
import { WaitedTooLong } from '../web/waited-too-long.ts';
import { enqueueIngestion, type Ingestion, queueFor } from './ingestion.queue.ts';
import { type ReadText, readSource } from './read-source.ts';

export interface IngestionDependencies extends Pick<Services, 'clock' | 'database' | 'log' | 'noteChange'> {
  jobs: Pick<Services['jobs'], 'enqueue'>;
  files: Pick<Services['files'], 'read'>;
  extractor: Extractor;
  fetchPage: FetchPage;
  embedMissing: EmbedMissing;
}

/** A source's progress when a stage is done. */
const progressAfter = { read: 0.3, split: 0.4 };
/** Consecutive attempts without progress. */
const maxAttempts = 6;
const firstPauseMilliseconds = 2_000;
const pauseAfterWaitMilliseconds = 30_000;
/** Many pages may be read at the same time, but only a few are embedded concurrently. */
const embeddingConcurrency = { concurrency: 8, perGroup: 6 };

/**
 * Processes a source: reads it, splits it into passages (from then on keyword search finds it) and embeds them. Each stage
 * starts from what is stored, so that a job can be interrupted anywhere and repeated. Wherever there is something to wait
 * for (a host, the document reader, a model), workspaces alternate.
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
  if (source.processingProgress < progressAfter.split) await readAndSplit(job, source, dependencies, signal);
  noteProgress();
  const embedded = { from: progressAfter.split, now: source.processingProgress };
  await embedding.run(job.workspaceId, signal, () =>
    embedSource(job, embedded, dependencies, noteProgress, signal),
  );
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
    await writeStage(dependencies.database, job, { processingProgress: progressAfter.read });
    await splitSource(job, source, text, progressAfter.split, dependencies, signal);
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

/** Embeds every passage in batches: finished batches are kept, and are not paid for again. */
async function embedSource(
  job: ClaimedJob,
  progress: { from: number; now: number },
  { database, embedMissing }: IngestionDependencies,
  /** Consoles read the progress a moment later, when it is committed. */
  noteProgress: () => void,
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

interface ExplainedFailure {
  /** For the person who added the source: what is wrong, and what to do about it. */
  reason: string;
  /** Trying again later may help. */
  passing: boolean;
  /** Not foreseen, so it belongs in the log. */
  isUnexpected?: true;
}

function explainFailure(error: unknown): ExplainedFailure {
  if (error instanceof SourceFailure) return { reason: error.message, passing: error.passing };
  if (error instanceof AppError && error.code === 'INSUFFICIENT_BALANCE') {
    return { reason: `${error.message} Add credit, then refresh this source.`, passing: false };
  }
  if (error instanceof AppError) return { reason: error.message, passing: errorCodes[error.code].retryable };
  return {
    reason: 'Something went wrong on our side: try to refresh it.',
    passing: true,
    isUnexpected: true,
  };
}

/** Splits the text into passages and stores both. From here on keyword search finds the source. */
async function splitSource(
  job: ClaimedJob,
  source: SourceRow,
  text: ReadText,
  progress: number,
  { database, extractor }: { database: Database; extractor: Pick<Extractor, 'split'> },
  signal: AbortSignal,
): Promise<void> {
  const heading = source.hasOwnTitle ? source.title : (text.title ?? source.title);
  // The upload was answered with the title of each file, which therefore stays.
  const title = source.contentType === 'uploaded_file' ? source.title : heading;
  const options = { title: heading, workspaceId: job.workspaceId };
  const chunks = await extractor.split(text.markdown, options, signal);
  if (chunks.length === 0) throw new SourceFailure('There is no text in it.');
  const change = {
    title,
    content: text.markdown,
    processingProgress: progress,
    attempts: 0,
    ...(text.url !== null && { sourceUrl: wasRedirected(source, text.url) ? text.url : source.requestedUrl }),
  };
  await writeStage(database, job, change, (tx) =>
    chunkStore.replaceChunks(tx, job.workspaceId, job.knowledgeId, chunks),
  );
}

/** An address that differs only in spelling stays as it was given. */
function wasRedirected({ requestedUrl }: SourceRow, found: string): boolean {
  const asked = URL.parse(requestedUrl ?? '');
  if (asked) asked.hash = '';
  return asked?.href !== found;
}

/** A job that has claimed its source. */
type ClaimedJob = Ingestion & Claim;

/** The source is gone, inactive, or claimed by another job, so there is nothing left to do. */
class Outdated extends Error {
  override readonly name = 'Outdated';
}

/**
 * Writes a stage's result, with `more` in the same transaction. Throws Outdated when this job no longer has the source. The
 * source's row stays locked, so that no other job can claim it in between.
 */
async function writeStage(
  database: Database,
  job: ClaimedJob,
  change: KnowledgeChange,
  more?: (tx: Transaction) => Promise<void>,
): Promise<void> {
  await database.within(job.workspaceId).transaction(async (tx) => {
    await writeWithin(tx, job, change);
    await more?.(tx);
  });
}

/** The same in the caller's transaction. */
async function writeWithin(tx: Transaction, job: ClaimedJob, change: KnowledgeChange): Promise<void> {
  if (!(await knowledgeStore.updateCurrent(tx, job.workspaceId, job, change))) throw new Outdated();
}
