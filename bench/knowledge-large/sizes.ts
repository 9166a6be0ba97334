import type { Database } from '../../packages/server/src/database/database.ts';
import { embeddingStore } from '../../packages/server/src/knowledge/embedding/embedding.store.ts';
import { dimensions } from '../knowledge/fill.ts';
import type { Comparison, Result } from '../support/compare.ts';

export interface Taken {
  buildSeconds: number;
  /** Passages a second whose vectors are stored, before and after the index was built. */
  rateBefore: number;
  rateAfter: number;
}

/** What the passages take of the disk and of the time at a start. */
export async function sizesOf(
  database: Database,
  model: string,
  { buildSeconds, rateBefore, rateAfter }: Taken,
): Promise<Comparison> {
  const megabytes = async (label: string, query: string): Promise<Result> => {
    const { rows } = await database.acrossWorkspaces.raw(`select (${query}) / 1e6 as megabytes`);
    return { label, digits: 0, ours: Number((rows as { megabytes: string }[])[0]?.megabytes) };
  };
  const { rows } = await database.acrossWorkspaces.raw(
    `select count(*)::int as passages, current_setting('maintenance_work_mem') as memory,
       current_setting('shared_buffers') as buffers from knowledge_embeddings`,
  );
  const [server] = rows as { passages: number; memory: string; buffers: string }[];
  const started = performance.now();
  await embeddingStore.listOutdatedAcrossWorkspaces(database.acrossWorkspaces, model);
  const checkSeconds = (performance.now() - started) / 1000;
  return {
    title:
      `${server?.passages.toLocaleString('en')} passages with vectors of ${dimensions} numbers, ` +
      `shared_buffers ${server?.buffers}, maintenance_work_mem ${server?.memory}`,
    results: [
      { label: 'index built in seconds', digits: 0, ours: buildSeconds },
      await megabytes(
        'index of the vectors, MB',
        `select sum(pg_relation_size(indexrelid)) from pg_stat_user_indexes
         where relname = 'knowledge_embeddings' and pg_get_indexdef(indexrelid) like '%hnsw%'`,
      ),
      await megabytes('vectors, MB', `select pg_table_size('knowledge_embeddings')`),
      await megabytes(
        'passages and their words, MB',
        `select pg_total_relation_size('knowledge_chunks') + pg_total_relation_size('knowledge_chunk_terms')`,
      ),
      {
        label: 'passages/s stored with their vectors (baseline: before the index)',
        digits: 0,
        baseline: rateBefore,
        ours: rateAfter,
        ratio: rateBefore / rateAfter,
      },
      { label: 'a start looks for passages without vectors, seconds', digits: 1, ours: checkSeconds },
    ],
  };
}
