import type { Transaction } from '../../database/database.ts';
import type { Services } from '../../services.ts';
import { chunkStore } from '../chunks/chunks.store.ts';
import type { ChunkEmbedding, ChunkPieces } from './chunk-embedding.ts';

/**
 * Embeds every chunk that has no vector of the current model, in batches: each batch is stored and paid for together, and an
 * interrupted run continues from there. Throws a ModelError, or INSUFFICIENT_BALANCE.
 */
export type EmbedMissing = (
  /** All sources when the source is left out. */
  missing: { workspaceId: string; knowledgeId?: string },
  signal: AbortSignal,
  /** Called for each batch in the transaction that stores it; if it throws, the batch is not stored. */
  onKept?: (tx: Transaction, count: number) => Promise<void>,
) => Promise<void>;

/** Finding chunks gets slower the more are done, so many are found in one query and embedded in small batches. */
const pageSize = 256;
const batchSize = 16;

export function createEmbedMissing(
  { database, spender }: Pick<Services, 'database' | 'spender'>,
  embedding: ChunkEmbedding,
): EmbedMissing {
  const { model } = embedding;
  return async ({ workspaceId, knowledgeId }, signal, onKept) => {
    const query = database.within(workspaceId);
    const find = () => chunkStore.listUnembedded(query, workspaceId, knowledgeId, model, pageSize);
    for (let found = await find(); found.length > 0; found = await find()) {
      for (let start = 0; start < found.length; start += batchSize) {
        signal.throwIfAborted();
        const chunks = embedding.split(found.slice(start, start + batchSize));
        const payment = await spender.openEmbedding(model, bytesOf(chunks), workspaceId);
        try {
          const embedded = await embedding.embed(chunks, signal, (inputTokens) =>
            payment.spent({ inputTokens, cachedInputTokens: 0, outputTokens: 0 }),
          );
          await payment.settle(async (tx) => {
            await chunkStore.saveEmbeddings(tx, workspaceId, model, embedded);
            await onKept?.(tx, chunks.length);
          });
        } finally {
          await payment.settle();
        }
      }
    }
  };
}

function bytesOf(chunks: readonly ChunkPieces[]): number {
  return chunks.flatMap(({ pieces }) => pieces).reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
}
