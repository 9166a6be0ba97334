import type { BillingService } from '../../billing/service.ts';
import type { Database, Transaction } from '../../database/database.ts';
import type { EmbedderRegistry } from '../../models/embeddings/embedder-registry.ts';
import { formatUsd } from '../../money.ts';
import { newId } from '../../new-id.ts';
import { chunkStore } from '../chunks/store.ts';
import type { VectorIndex } from '../vector-index/vector-index.ts';
import type { CheckBalance } from './check-balance.ts';
import type { ChunkEmbedding } from './chunk-embedding.ts';

export interface EmbedMissingOptions {
  database: Database;
  embedders: EmbedderRegistry;
  embedding: ChunkEmbedding;
  index: VectorIndex;
  checkBalance: CheckBalance;
  billing: Pick<BillingService, 'charge'>;
}

export interface MissingVectors {
  workspaceId: string;
  /** Left out, those of every source. */
  knowledgeId?: string;
}

/**
 * Gives vectors of the current model to every chunk that has none, a few at a time: each few are kept and
 * paid for together, and whoever is interrupted goes on from there. Throws a ModelError, or INSUFFICIENT_BALANCE.
 */
export type EmbedMissing = (
  missing: MissingVectors,
  signal: AbortSignal,
  /** Told of each few in the transaction that keeps them; if it throws they are not kept. */
  onKept?: (tx: Transaction, count: number) => Promise<void>,
) => Promise<void>;

/** Finding them costs more the further it has come: many are found at once, and few embedded. */
const foundAtOnce = 256;
const chunksAtOnce = 16;

export function createEmbedMissing(options: EmbedMissingOptions): EmbedMissing {
  const { database, embedders, embedding, index, checkBalance, billing } = options;
  const { model } = embedding;

  async function charge(
    tx: Transaction,
    workspaceId: string,
    inputTokens: number,
    isMetered: boolean,
  ): Promise<void> {
    const cost = embedders.costOf(model, inputTokens) ?? 0n;
    const usage = { model, inputTokens, cachedInputTokens: 0, outputTokens: 0 };
    await billing.charge(tx, workspaceId, { ...usage, id: newId(), costUsd: formatUsd(cost) }, isMetered);
  }

  return async ({ workspaceId, knowledgeId }, signal, onKept) => {
    const { query } = database;
    const find = () => chunkStore.listUnembedded(query, workspaceId, knowledgeId, model, foundAtOnce);
    for (let found = await find(); found.length > 0; found = await find()) {
      for (let start = 0; start < found.length; start += chunksAtOnce) {
        signal.throwIfAborted();
        const chunks = found.slice(start, start + chunksAtOnce);
        const isMetered = await checkBalance(workspaceId, model);
        const { embedded, inputTokens } = await embedding.embed(chunks, signal);
        await database.transaction(async (tx) => {
          await index.upsert(tx, workspaceId, model, embedded);
          await onKept?.(tx, chunks.length);
          if (inputTokens > 0) await charge(tx, workspaceId, inputTokens, isMetered);
        });
      }
    }
  };
}
