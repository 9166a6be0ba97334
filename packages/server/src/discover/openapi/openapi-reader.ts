import type { DiscoveredTools } from '@svc/contract/discover';
import { AppError, invalid } from '../../lib/app-error.ts';
import { createFairQueue } from '../../lib/fair-queue.ts';
import { askThread, TooMuchForThread } from '../ask-thread.ts';
import type { DiscoverJob } from '../job.ts';
import { claimsToBeOpenApi } from './document.ts';
import { type DocumentMessage, type DocumentSource, decodeText, type Prose } from './draft-document.ts';

/** Drafts tools from an OpenAPI document, or returns the text if it is something else. Throws for a broken document. */
export type OpenApiReader = (
  workspaceId: string,
  source: DocumentSource,
  job: DiscoverJob,
) => Promise<ReadDocument>;

export type ReadDocument = { drafted: DiscoveredTools } | { prose: Prose };

/** A document of 32 MB takes about four seconds as JSON and ten as YAML. */
const usualLimits = { timeMs: 60_000, memoryMb: 2_048 };
/** Looking at a text of this size takes less time than starting a thread. */
const shortBytes = 500_000;

/**
 * Reads documents in a thread, because a large one takes seconds. Only one is read at a time, to bound memory, and
 * workspaces share it fairly.
 */
export function createOpenApiReader(program: URL, limits = usualLimits): OpenApiReader {
  const queue = createFairQueue({ concurrency: 1 });
  return async (workspaceId, source, job) => {
    const text = source.bytes.length <= shortBytes ? decodeText(source) : undefined;
    if (text !== undefined && !claimsToBeOpenApi(text)) return { prose: { text, isCut: false } };
    const read = (message: DocumentMessage) => readMessage(message, job);
    try {
      return await queue.run(workspaceId, job.signal, () =>
        askThread(program, { data: source, limits, signal: job.signal, read }),
      );
    } catch (error) {
      if (!(error instanceof TooMuchForThread)) throw error;
      throw invalid(source.field, 'takes too long or too much memory to read.');
    }
  };
}

function readMessage(
  message: DocumentMessage,
  { onProgress }: DiscoverJob,
): { answer: ReadDocument } | undefined {
  switch (message.kind) {
    case 'listed':
      onProgress('drafting', `Operations in the document: ${message.operations}.`);
      return undefined;
    case 'drafted':
      return { answer: { drafted: message.drafted } };
    case 'other':
      return { answer: { prose: message.prose } };
    case 'refused':
      throw new AppError('VALIDATION_FAILED', message);
  }
}
