import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ToolDraft } from '@svc/contract/discover';
import { AppError, invalid } from '../../app-error.ts';
import { createFairTurns } from '../../fair-turns.ts';
import type { DiscoverJob } from '../job.ts';
import { claimsToBeOpenApi } from './document.ts';
import type { DocumentSource, DocumentWord } from './draft-document.ts';

/** Drafts tools from an OpenAPI document; undefined when the text is something else. Throws for one that is broken. */
export type OpenApiReader = (
  workspaceId: string,
  source: DocumentSource,
  job: DiscoverJob,
) => Promise<ToolDraft | undefined>;

const usualLimits = { timeMs: 20_000, memoryMb: 512 };

/**
 * Reads documents in a thread, from the text to the drafts: a large one takes seconds, in which nothing else would run.
 * One document at a time, so that many of them need no more memory than one; workspaces take turns.
 */
export function createOpenApiReader(program: URL, limits = usualLimits): OpenApiReader {
  const turns = createFairTurns({ atOnce: 1 });
  return async (workspaceId, source, job) => {
    if (!claimsToBeOpenApi(source.text)) return undefined;
    return turns.run(workspaceId, job.signal, () => readInThread(program, limits, source, job));
  };
}

async function readInThread(
  program: URL,
  { timeMs, memoryMb }: typeof usualLimits,
  source: DocumentSource,
  { signal, onProgress }: DiscoverJob,
): Promise<ToolDraft | undefined> {
  signal.throwIfAborted();
  const worker = new Worker(program, {
    workerData: source,
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 64 },
  });
  // An error that comes after nobody waits any more would end the process.
  worker.on('error', () => undefined);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeMs)]);
  try {
    for await (const [word] of on(worker, 'message', { signal: deadline, close: ['exit'] })) {
      const said = word as DocumentWord;
      if (said.kind === 'refused') throw new AppError('VALIDATION_FAILED', said);
      if (said.kind === 'drafted') return said.draft;
      if (said.kind === 'other') return undefined;
      onProgress('drafting', `Operations in the document: ${said.operations}.`);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!deadline.aborted && !isOverfull(error)) throw error;
  } finally {
    await worker.terminate();
  }
  throw invalid(source.field, 'takes too long or too much memory to read.');
}

/** The document was too large or too deep for the thread. */
function isOverfull(error: unknown): boolean {
  return error instanceof RangeError || (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
}
