import { AppError } from '../../app-error.ts';
import type { BillingService } from '../../billing/service.ts';
import type { Database, Transaction } from '../../database/database.ts';
import type { EmbedderRegistry } from '../../models/embeddings/embedder-registry.ts';
import { formatUsd } from '../../money.ts';
import { newId } from '../../new-id.ts';
import type { WorkspaceService } from '../../workspaces/service.ts';
import { chunkStore } from '../chunks/store.ts';
import type { VectorIndex } from '../vector-index/vector-index.ts';
import type { ChunkEmbedding } from './chunk-embedding.ts';

export interface EmbedMissingOptions {
  database: Database;
  embedders: EmbedderRegistry;
  embedding: ChunkEmbedding;
  index: VectorIndex;
  billing: Pick<BillingService, 'reserve' | 'charge'>;
  workspaces: Pick<WorkspaceService, 'get'>;
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
  const { database, embedders, embedding, index, billing, workspaces } = options;
  const { model } = embedding;

  /** A balance that is used up stops it; what the last few cost may take it a little below zero. */
  async function checkBalance(workspaceId: string): Promise<boolean> {
    const { creditUsd } = await workspaces.get(workspaceId);
    if (creditUsd === null || model.startsWith('builtin/')) return false;
    if (embedders.costOf(model, 1) === undefined) {
      throw new AppError('VALIDATION_FAILED', {
        message: `The price of ${model} is not known: set it in SVC_MODEL_PRICES before it is used with a balance.`,
      });
    }
    await database.transaction((tx) => billing.reserve(tx, workspaceId, creditUsd, 0n));
    return true;
  }

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
        const isMetered = await checkBalance(workspaceId);
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
