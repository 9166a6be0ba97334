import type { Payment } from '../../billing/billing.service.ts';
import type { Database } from '../../database/database.ts';
import type { ReadReplica } from '../../database/replica.ts';
import type { EmbedderRegistry } from '../../models/embeddings/embedder-registry.ts';
import type { Services } from '../../services.ts';
import { searchKeywords } from '../keywords/keyword-search.ts';
import type { VectorHit, VectorIndex } from '../vector-index/vector-index.ts';
import { aboveFloor, type FusedHit, fuse } from './fuse.ts';
import { withoutNearDuplicates } from './near-duplicates.ts';
import { type PassageRow, retrievalStore } from './retrieval.store.ts';

export interface Question {
  workspaceId: string;
  /** Every source of the workspace is searched when left out. */
  botId?: string | undefined;
  query: string;
  limit: number;
  /** The turn that searches, if any. */
  turn?: AskingTurn | undefined;
}

export interface AskingTurn {
  conversationId: string;
  turnId: string;
  /** The reply that the passages are for. */
  messageId?: string | undefined;
  /** Whether its workspace has a limited balance, if known. */
  isMetered?: boolean;
}

/** As it is sent. Scores are between 0 and 1. */
export interface Passage {
  knowledge_id: string;
  chunk_id: string;
  title: string;
  source_url: string | null;
  quote: string;
  heading_path: string[];
  score: number;
  vector_score: number;
  keyword_score: number;
}

/** What embedding a question used. */
export interface QuestionUsage {
  model: string;
  inputTokens: number;
  /** Recorded and paid for already; otherwise the turn does that with its next step. */
  isPaid: boolean;
}

export type Retrieval = ReturnType<typeof createRetrieval>;

export interface Found {
  passages: Passage[];
  /** Undefined when nothing was embedded. */
  usage: QuestionUsage | undefined;
}

export interface RetrievalOptions extends Pick<Services, 'database' | 'log' | 'spender'> {
  /** Where words are looked up; the database itself if left out, from which the passages are read in any case. */
  read?: ReadReplica;
  embedders: EmbedderRegistry;
  index: VectorIndex;
}

/** Both searches fetch more than requested: duplicates are dropped, and the second hit of both may be the best overall. */
const candidates = 50;
/** Enough of those are read to leave the requested number after dropping duplicates. */
const readPerPassage = 4;

export function createRetrieval(options: RetrievalOptions) {
  const { database, read = (work) => work(database) } = options;
  return {
    /** The best passages, best first, without duplicates; empty when nothing matches. */
    async search(question: Question, signal: AbortSignal): Promise<Found> {
      const { workspaceId, botId, query, limit } = question;
      const [keyword, vector] = await Promise.all([
        read((from) => searchKeywords(from, { workspaceId, botId }, query, candidates)),
        searchVectors(question, options, signal),
      ]);
      const fused = fuse({ keyword, vector: vector.hits, model: vector.usage?.model });
      const worth = aboveFloor(fused).slice(0, limit * readPerPassage);
      const passages = await readPassages(database, question, worth);
      return {
        passages: withoutNearDuplicates(passages, textOf, limit),
        usage: vector.usage,
      };
    },
  };
}

/** The same sentence under another heading means something else. */
function textOf({ heading_path: headings, quote }: Passage): string {
  return [...headings, quote].join('\n');
}

/** Without an embedder, or the money for it, only keywords are searched. */
async function searchVectors(
  { workspaceId, botId, query, turn }: Question,
  { database, embedders, index, spender, log }: RetrievalOptions,
  signal: AbortSignal,
): Promise<{ hits: VectorHit[] | undefined; usage: QuestionUsage | undefined }> {
  const model = await retrievalStore.findAnsweringModel(database.within(workspaceId), workspaceId);
  const embedder = model === undefined ? undefined : embedders.find(model);
  if (!embedder) return { hits: undefined, usage: undefined };
  const usage = { model: embedder.id, inputTokens: 0, isPaid: false };
  let payment: Payment | undefined;
  try {
    if (turn?.isMetered !== false) {
      payment = await spender.openEmbedding(embedder.id, Buffer.byteLength(query), workspaceId, turn);
      usage.isPaid = !turn || payment.granted !== undefined;
    }
    const { vectors } = await embedder.embed([query], 'query', signal, (inputTokens) => {
      usage.inputTokens += inputTokens;
      if (usage.isPaid) payment?.spent({ inputTokens, cachedInputTokens: 0, outputTokens: 0 });
    });
    const [vector] = vectors;
    const scope = { workspaceId, botId, model: embedder.id };
    return { hits: vector && (await index.search(scope, vector, candidates)), usage };
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ err: error, workspace_id: workspaceId }, 'Knowledge is searched by keywords only.');
    return { hits: undefined, usage: usage.inputTokens > 0 ? usage : undefined };
  } finally {
    await payment?.settle();
  }
}

async function readPassages(
  database: Database,
  { workspaceId, botId }: Question,
  fused: readonly FusedHit[],
): Promise<Passage[]> {
  if (fused.length === 0) return [];
  const rows = await retrievalStore.listPassages(
    database.within(workspaceId),
    workspaceId,
    botId,
    fused.map(({ chunkId }) => chunkId),
  );
  const byChunk = new Map(rows.map((row) => [row.chunkId, row]));
  return fused.flatMap((hit) => {
    const row = byChunk.get(hit.chunkId);
    return row ? [toPassage(hit, row)] : [];
  });
}

function toPassage(hit: FusedHit, row: PassageRow): Passage {
  return {
    knowledge_id: row.knowledgeId,
    chunk_id: row.chunkId,
    title: row.title,
    source_url: row.sourceUrl,
    quote: row.content,
    heading_path: row.headingPath,
    score: rounded(hit.score),
    vector_score: rounded(hit.vectorScore),
    keyword_score: rounded(hit.keywordScore),
  };
}

function rounded(score: number): number {
  return Math.min(1, Math.round(score * 10_000) / 10_000);
}
