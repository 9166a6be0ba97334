import type { Database } from '../../packages/server/src/database/database.ts';
import type { Retrieval } from '../../packages/server/src/knowledge/retrieval/retrieve.ts';
import { pgvectorStore } from '../../packages/server/src/knowledge/vector-index/pgvector/pgvector.store.ts';
import type {
  VectorIndex,
  VectorScope,
} from '../../packages/server/src/knowledge/vector-index/vector-index.ts';
import { dimensions, questionOf } from '../knowledge/fill.ts';
import type { Comparison, Result } from '../support/compare.ts';
import { percentile } from '../support/numbers.ts';

const signal = new AbortController().signal;
/** The exact search reads every vector, which takes seconds. */
const exactQuestions = 20;
/** As many as a search of the service asks for, and as many as are compared. */
const [limit, compared] = [50, 10];
const atOnce = 8;

export interface Searches {
  database: Database;
  index: VectorIndex;
  /** The whole search, for questions whose vectors are these. */
  retrievalWith(vectorOf: (number: number) => Float32Array): Retrieval;
}

/** Searches of one scope, beside a scan of all its vectors. */
export async function ask(
  { database, index, retrievalWith }: Searches,
  scope: VectorScope,
  { title, questions }: { title: string; questions: number },
): Promise<Comparison> {
  const { workspaceId, botId } = scope;
  const vectors = await questionVectors(database, scope, questions);
  const vectorOf = (number: number) => vectors[number % vectors.length] ?? new Float32Array();
  const retrieval = retrievalWith(vectorOf);
  const search = async (number: number) => (await index.search(scope, vectorOf(number), limit)) ?? [];
  const both = async (number: number) =>
    retrieval.search({ workspaceId, botId, query: questionOf(number), limit: 6 }, signal);
  const exact = (number: number) =>
    pgvectorStore.searchAll(database.within(workspaceId), scope, vectorOf(number), compared);

  // What is read from the disk once is not what is measured.
  await timesOf(questions / 4, search);
  const scanned = await timesOf(exactQuestions, exact);
  const found = await timesOf(questions, search);
  const whole = await timesOf(questions, both);
  const started = performance.now();
  await Promise.all(Array.from({ length: atOnce }, () => timesOf(questions / atOnce, both)));
  const rate = questions / ((performance.now() - started) / 1000);
  let agreed = 0;
  for (let number = 0; number < exactQuestions; number += 1) {
    const nearest = new Set((await exact(number)).map(({ chunkId }) => chunkId));
    agreed += (await search(number)).slice(0, compared).filter(({ chunkId }) => nearest.has(chunkId)).length;
  }

  const row = (label: string, share: number): Result => {
    const [baseline, ours] = [percentile(scanned, share), percentile(found, share)];
    return { label, digits: 1, baseline, ours, ratio: ours / baseline };
  };
  return {
    title: `Questions ${title}, beside a scan of all its vectors`,
    results: [
      row('vectors, p50 ms', 0.5),
      row('vectors, p95 ms', 0.95),
      { label: 'vectors and words, p50 ms', digits: 1, ours: percentile(whole, 0.5) },
      { label: 'vectors and words, p95 ms', digits: 1, ours: percentile(whole, 0.95), goal: { most: 100 } },
      { label: `searches/s, ${atOnce} at a time`, digits: 0, ours: rate },
      {
        label: `share of the ${compared} nearest that are found`,
        digits: 3,
        ours: agreed / exactQuestions / compared,
        goal: { least: 0.95 },
      },
    ],
  };
}

/** Vectors near those of passages in the scope, as of somebody who asks for one in other words. */
async function questionVectors(
  database: Database,
  { workspaceId, botId, model }: VectorScope,
  count: number,
): Promise<Float32Array[]> {
  const { rows } = await database.acrossWorkspaces.raw(
    `select e.vector from knowledge_embeddings e join knowledge k on k.id = e.knowledge_id
     where e.workspace_id = $1 and ($2::uuid is null or k.bot_id = $2) and e.model = $3 and e.vector is not null
     order by hashtext(e.chunk_id::text) limit $4`,
    [workspaceId, botId ?? null, model, count],
  );
  const spread = 0.6 * Math.sqrt(12 / dimensions);
  return (rows as { vector: number[] }[]).map(({ vector }) => {
    const moved = Float32Array.from(vector, (value) => value + (Math.random() - 0.5) * spread);
    const length = Math.hypot(...moved);
    return moved.map((value) => value / length);
  });
}

/** Sorted. */
async function timesOf(times: number, work: (number: number) => Promise<unknown>): Promise<number[]> {
  const taken: number[] = [];
  for (let number = 0; number < times; number += 1) {
    const started = performance.now();
    await work(number);
    taken.push(performance.now() - started);
  }
  return taken.toSorted((first, second) => first - second);
}
