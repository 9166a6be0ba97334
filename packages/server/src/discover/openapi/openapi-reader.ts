import type { DiscoveredTools } from '@svc/contract/discover';
import { AppError, invalid } from '../../app-error.ts';
import { createFairQueue } from '../../fair-queue.ts';
import { askThread, TooMuchForThread } from '../ask-thread.ts';
import type { DiscoverJob } from '../job.ts';
import { claimsToBeOpenApi } from './document.ts';
import { type DocumentSource, type DocumentWord, decodeText, type Prose } from './draft-document.ts';

/** Drafts tools from an OpenAPI document, or says what its text is if it is something else. Throws for one that is broken. */
export type OpenApiReader = (
  workspaceId: string,
  source: DocumentSource,
  job: DiscoverJob,
) => Promise<ReadDocument>;

export type ReadDocument = { drafted: DiscoveredTools } | { prose: Prose };

/** A document of 32 MB takes about four seconds as JSON and ten as YAML. */
const usualLimits = { timeMs: 60_000, memoryMb: 2_048 };
/** Up to here a look at a text takes less than starting a thread. */
const shortBytes = 500_000;

/**
 * Reads documents in a thread, from the bytes to the drafts: a large one takes seconds, in which nothing else would run.
 * One document at a time, so that many of them need no more memory than one; workspaces take turns.
 */
export function createOpenApiReader(program: URL, limits = usualLimits): OpenApiReader {
  const turns = createFairQueue({ concurrency: 1 });
  return async (workspaceId, source, job) => {
    const text = source.bytes.length <= shortBytes ? decodeText(source) : undefined;
    if (text !== undefined && !claimsToBeOpenApi(text)) return { prose: { text, isCut: false } };
    const read = (word: DocumentWord) => readWord(word, job);
    try {
      return await turns.run(workspaceId, job.signal, () =>
        askThread(program, { data: source, limits, signal: job.signal, read }),
      );
    } catch (error) {
      if (!(error instanceof TooMuchForThread)) throw error;
      throw invalid(source.field, 'takes too long or too much memory to read.');
    }
  };
}

function readWord(word: DocumentWord, { onProgress }: DiscoverJob): { answer: ReadDocument } | undefined {
  switch (word.kind) {
    case 'listed':
      onProgress('drafting', `Operations in the document: ${word.operations}.`);
      return undefined;
    case 'drafted':
      return { answer: { drafted: word.drafted } };
    case 'other':
      return { answer: { prose: word.prose } };
    case 'refused':
      throw new AppError('VALIDATION_FAILED', word);
  }
}
