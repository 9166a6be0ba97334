import { v7 as uuidv7 } from 'uuid';
import { invalid } from '../../app-error.ts';
import type { BillingService } from '../../billing/service.ts';
import type { Database, Transaction } from '../../database/database.ts';
import type { EmbedderRegistry } from '../../models/embeddings/embedder-registry.ts';
import { formatUsd } from '../../money.ts';
import type { WorkspaceService } from '../../workspaces/service.ts';
import { chunkStore, type UnembeddedChunk } from '../chunks/store.ts';
import type { VectorIndex } from '../vector-index/vector-index.ts';
import { piecesOf } from './pieces.ts';

export interface EmbeddingDependencies {
  database: Database;
  embedders: EmbedderRegistry;
  index: VectorIndex;
  billing: BillingService;
  workspaces: WorkspaceService;
}

export interface MissingVectors {
  workspaceId: string;
  /** Left out, those of every source. */
  knowledgeId?: string;
}

/**
 * Gives vectors of the current model to every chunk that has none, a few at a time: each few are kept and paid for
 * together, and whoever is interrupted goes on from there. Throws a ModelError, or INSUFFICIENT_BALANCE.
 */
export type EmbedMissing = (
  missing: MissingVectors,
  signal: AbortSignal,
  /** Told after each few; `tx` is the transaction that keeps them. */
  onKept?: (tx: Transaction, kept: number) => Promise<void>,
) => Promise<void>;

const chunksAtOnce = 16;

export function createEmbedMissing(dependencies: EmbeddingDependencies): EmbedMissing {
  const { database, embedders, index, billing, workspaces } = dependencies;

  async function embed(chunks: readonly UnembeddedChunk[], signal: AbortSignal) {
    const embedder = embedders.current();
    const pieces = chunks.map(({ headingPath, content }) =>
      piecesOf(headingPath, content, embedder.mostCharacters),
    );
    const { vectors, inputTokens } = await embedder.embed(pieces.flat(), 'document', signal);
    let taken = 0;
    const embedded = chunks.map(({ id }, place) => {
      const count = pieces[place]?.length ?? 0;
      taken += count;
      return { chunkId: id, vectors: vectors.slice(taken - count, taken) };
    });
    return { embedded, inputTokens, dimensions: vectors[0]?.length ?? 0 };
  }

  return async ({ workspaceId, knowledgeId }, signal, onKept) => {
    const model = embedders.current().id;
    for (;;) {
      signal.throwIfAborted();
      const chunks = await chunkStore.listUnembedded(
        database.query,
        workspaceId,
        knowledgeId,
        model,
        chunksAtOnce,
      );
      if (chunks.length === 0) return;
      const isMetered = await checkBalance(workspaceId);
      const { embedded, inputTokens, dimensions } = await embed(chunks, signal);
      await index.prepare(model, dimensions);
      const cost = embedders.costOf(model, inputTokens) ?? 0n;
      await database.transaction(async (tx) => {
        await index.upsert(tx, workspaceId, model, embedded);
        if (inputTokens > 0) {
          const usage = { model, inputTokens, cachedInputTokens: 0, outputTokens: 0 };
          const charge = { ...usage, id: uuidv7(), costUsd: formatUsd(cost) };
          await billing.charge(tx, workspaceId, charge, isMetered);
        }
        await onKept?.(tx, chunks.length);
      });
    }
  };

  /** A balance that is used up stops it; what the last few cost may take it a little below zero. */
  async function checkBalance(workspaceId: string): Promise<boolean> {
    const { creditUsd } = await workspaces.get(workspaceId);
    if (creditUsd === null) return false;
    const { id } = embedders.current();
    const cost = embedders.costOf(id, 1);
    if (cost === undefined) {
      throw invalid(
        'model',
        `${id} has no known price: set it in SVC_MODEL_PRICES to use it with a balance.`,
      );
    }
    if (id.startsWith('builtin/')) return false;
    await database.transaction((tx) => billing.reserve(tx, workspaceId, creditUsd, 0n));
    return true;
  }
}
