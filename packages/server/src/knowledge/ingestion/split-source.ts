import type { Database } from '../../database/database.ts';
import { chunkStore } from '../chunks/chunks.store.ts';
import type { Extractor } from '../extraction/extract.ts';
import type { SourceRow } from '../knowledge.store.ts';
import { SourceFailure } from '../source-failure.ts';
import type { ReadText } from './read-source.ts';
import { type ClaimedJob, writeStage } from './stage-write.ts';

/** Splits the text into passages and stores both. From here on keyword search finds the source. */
export async function splitSource(
  job: ClaimedJob,
  source: SourceRow,
  text: ReadText,
  progress: number,
  { database, extractor }: { database: Database; extractor: Pick<Extractor, 'split'> },
  signal: AbortSignal,
): Promise<void> {
  const title = source.hasOwnTitle ? source.title : (text.title ?? source.title);
  const chunks = await extractor.split(text.markdown, { title, workspaceId: job.workspaceId }, signal);
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
