import { v7 as uuidv7 } from 'uuid';
import { AppError } from '../../app-error.ts';
import type { BillingService } from '../../billing/service.ts';
import type { Database } from '../../database/database.ts';
import type { EmbedderRegistry } from '../../models/embeddings/embedder-registry.ts';
import { formatUsd } from '../../money.ts';
import type { WorkspaceService } from '../../workspaces/service.ts';
import { chunkStore } from '../chunks/store.ts';
import type { ChunkEmbedding } from '../embedding/chunk-embedding.ts';
import { type ClaimedJob, writeStage } from './stage-write.ts';

export interface EmbedSourceDependencies {
  database: Database;
  billing: Pick<BillingService, 'reserve' | 'charge'>;
  workspaces: Pick<WorkspaceService, 'get'>;
  embedding: ChunkEmbedding;
  embedders: Pick<EmbedderRegistry, 'costOf'>;
}

const chunksAtOnce = 16;

/** Gives every passage its vectors, some at a time: what is done stays done, and is not paid for again. */
export async function embedSource(
  job: ClaimedJob,
  progress: { from: number; now: number },
  dependencies: EmbedSourceDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { database, billing, embedding, embedders } = dependencies;
  const { workspaceId, knowledgeId } = job;
  const { model } = embedding;
  const { from, now } = progress;
  const total = await chunkStore.countChunks(database.query, workspaceId, knowledgeId);
  let done = total * Math.max(0, (now - from) / (1 - from));
  for (;;) {
    const { query } = database;
    const chunks = await chunkStore.listUnembedded(query, workspaceId, knowledgeId, model, chunksAtOnce);
    if (chunks.length === 0) return;
    const isMetered = await checkBalance(workspaceId, dependencies);
    const { embedded, inputTokens } = await embedding.embed(chunks, signal);
    const cost = embedders.costOf(model, inputTokens) ?? 0n;
    done = Math.min(done + chunks.length, total);
    // Something was got done: what goes wrong from here on is not the same thing again.
    const change = { processingProgress: from + ((1 - from) * done) / total, attempts: 0 };
    await writeStage(database, job, change, async (tx) => {
      await chunkStore.saveEmbeddings(tx, workspaceId, model, embedded);
      if (inputTokens === 0) return;
      const usage = { model, inputTokens, cachedInputTokens: 0, outputTokens: 0 };
      const charge = { ...usage, id: uuidv7(), costUsd: formatUsd(cost) };
      await billing.charge(tx, workspaceId, charge, isMetered);
    });
  }
}

/** Whether the workspace pays from a balance; throws when there is nothing left of it, or nobody knows the price. */
async function checkBalance(
  workspaceId: string,
  { database, billing, workspaces, embedding: { model }, embedders }: EmbedSourceDependencies,
): Promise<boolean> {
  const { creditUsd } = await workspaces.get(workspaceId);
  if (creditUsd === null || model.startsWith('builtin/')) return false;
  if (embedders.costOf(model, 1) === undefined) {
    throw new AppError('VALIDATION_FAILED', {
      message: `The price of ${model} is not known: set it in SVC_MODEL_PRICES before it is used with a balance.`,
    });
  }
  // What these few cost may take it a little below zero; nothing stays set aside if we die meanwhile.
  await database.transaction((tx) => billing.reserve(tx, workspaceId, creditUsd, 0n));
  return true;
}
