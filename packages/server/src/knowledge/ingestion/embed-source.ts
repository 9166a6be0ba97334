import { v7 as uuidv7 } from 'uuid';
import { AppError } from '../../app-error.ts';
import type { BillingService } from '../../billing/service.ts';
import type { Database } from '../../database/database.ts';
import { costOf, type Price } from '../../models/prices.ts';
import { estimateTokens } from '../../models/token-estimate.ts';
import { formatUsd } from '../../money.ts';
import type { WorkspaceService } from '../../workspaces/service.ts';
import { type ChunkVectors, chunkStore, type UnembeddedChunk } from '../chunks/store.ts';
import { type ClaimedJob, writeStage } from './stage-write.ts';

export interface EmbedSourceDependencies {
  database: Database;
  billing: Pick<BillingService, 'checkFunds' | 'charge'>;
  workspaces: Pick<WorkspaceService, 'get'>;
  embedding: ChunkEmbedding;
  models: { priceOf(model: string): Price | undefined };
}

export interface ChunkEmbedding {
  /** provider/model */
  model: string;
  embed(
    chunks: readonly UnembeddedChunk[],
    signal: AbortSignal,
  ): Promise<{ embedded: ChunkVectors[]; inputTokens: number }>;
}

const chunksAtOnce = 32;

/** Gives every passage its vectors, some at a time: what is done stays done, and is not paid for again. */
export async function embedSource(
  job: ClaimedJob,
  from: number,
  dependencies: EmbedSourceDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { database, billing, embedding } = dependencies;
  const { workspaceId, knowledgeId } = job;
  const { model } = embedding;
  let chunks = await chunkStore.listUnembedded(database.query, workspaceId, knowledgeId, model, chunksAtOnce);
  if (chunks.length === 0) return;
  const total = await chunkStore.countChunks(database.query, workspaceId, knowledgeId);
  let done = 0;
  while (chunks.length > 0) {
    const isMetered = await checkFunds(workspaceId, chunks, dependencies);
    const { embedded, inputTokens } = await embedding.embed(chunks, signal);
    done += chunks.length;
    // Something was got done: what goes wrong from here on is not the same thing again.
    const change = { processingProgress: from + (1 - from) * Math.min(done / total, 1), attempts: 0 };
    await writeStage(database, job, change, async (tx) => {
      await chunkStore.saveEmbeddings(tx, workspaceId, model, embedded);
      if (inputTokens === 0) return;
      await billing.charge(tx, workspaceId, chargeFor(model, inputTokens, dependencies), isMetered);
    });
    chunks = await chunkStore.listUnembedded(database.query, workspaceId, knowledgeId, model, chunksAtOnce);
  }
}

/** Whether the workspace pays from a balance. Throws INSUFFICIENT_BALANCE, or says that the model has no price. */
async function checkFunds(
  workspaceId: string,
  chunks: readonly UnembeddedChunk[],
  { database, billing, workspaces, embedding, models }: EmbedSourceDependencies,
): Promise<boolean> {
  const { creditUsd } = await workspaces.get(workspaceId);
  if (creditUsd === null) return false;
  const price = models.priceOf(embedding.model);
  if (!price) {
    throw new AppError('VALIDATION_FAILED', {
      message: `The price of ${embedding.model} is not known: set it in SVC_MODEL_PRICES before it is used with a balance.`,
    });
  }
  const inputTokens = chunks.reduce((sum, { content }) => sum + estimateTokens(content), 0);
  const expected = costOf({ inputTokens, cachedInputTokens: 0, outputTokens: 0 }, price);
  if (expected === 0n) return true;
  await database.transaction((tx) => billing.checkFunds(tx, workspaceId, creditUsd, expected));
  return true;
}

function chargeFor(model: string, inputTokens: number, { models }: EmbedSourceDependencies) {
  const usage = { inputTokens, cachedInputTokens: 0, outputTokens: 0 };
  const price = models.priceOf(model);
  return {
    id: uuidv7(),
    conversationId: null,
    turnId: null,
    model,
    ...usage,
    costUsd: formatUsd(price ? costOf(usage, price) : 0n),
  };
}
