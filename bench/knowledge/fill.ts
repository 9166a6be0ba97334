import { randomUUID } from 'node:crypto';
import type { Database } from '../../packages/server/src/database/database.ts';
import { termsOf } from '../../packages/server/src/knowledge/keywords/terms.ts';

const wordsPerChunk = 60;
const vocabularySize = 20_000;
const chunksPerSource = 50;
export const dimensions = 512;
const topicCount = 1_000;
/** How far a passage may be from its topic: two passages of one topic have a similarity of .55. */
const noise = 0.9;

/** Word number so-and-so. Pronounceable, so that the stemmer leaves it alone. */
function wordOf(number: number): string {
  const syllables = ['ba', 'ko', 'du', 'mi', 'fo', 'gu', 'la', 'po', 'tu', 'vo'];
  return Array.from(String(number + 10_000))
    .map((digit) => syllables[Number(digit)])
    .join('');
}

/** A question of some words, rare and common ones. */
export function questionOf(number: number): string {
  const ranks = [7, 90, 700, 4_000, 12_000].map((rank) => (rank + number * 13) % vocabularySize);
  return ranks.map(wordOf).join(' ');
}

export interface Shape {
  chunks: number;
  vectorsPerChunk: number;
  /** `anywhere`: any two are equally unlike. `by topic`: as real ones, they are near those that say the same. */
  vectors: 'anywhere' | 'by topic';
  /** Each source belongs to one of so many bots; every bot may use every source when left out. */
  bots?: number;
}

export interface Filled {
  workspaceId: string;
  botIds: string[];
}

/**
 * A workspace of so many chunks, made by PostgreSQL itself: words as rare and as common as in real texts. What the triggers
 * would count is counted once at the end.
 */
export async function fillWorkspace(
  database: Database,
  model: string,
  { chunks, vectorsPerChunk, vectors, bots = 0 }: Shape,
): Promise<Filled> {
  const workspaceId = randomUUID();
  const botIds = Array.from({ length: bots }, () => randomUUID());
  await database.acrossWorkspaces.transaction(async (tx) => {
    const run = (text: string, values: unknown[] = []) => tx.raw(text, values);
    await run('set local session_replication_role = replica');
    await run(`insert into workspaces (id, name) values ($1, 'Search')`, [workspaceId]);
    await run(
      `insert into knowledge (id, workspace_id, bot_id, title, content_type, processing_status)
       select gen_random_uuid(), $1, ($3::uuid[])[1 + n % greatest($4::int, 1)], 'Source ' || n, 'text', 'completed'
       from generate_series(1, $2::int) n`,
      [workspaceId, Math.ceil(chunks / chunksPerSource), botIds, bots],
    );
    await run(
      `create temp table made on commit drop as
       select gen_random_uuid() as id, s.id as knowledge_id, p as position
       from (select id, row_number() over () as n from knowledge where workspace_id = $1) s,
         generate_series(1, ${chunksPerSource}) p
       where (s.n - 1) * ${chunksPerSource} + p <= $2::int`,
      [workspaceId, chunks],
    );
    await writeTexts(run, workspaceId);
    await writeVectors(run, workspaceId, model, vectors, vectorsPerChunk);
    await run(
      `insert into knowledge_statistics (workspace_id, chunk_count, length_total, revision, embedding_model)
       values ($1, $2, $2 * ${wordsPerChunk}::bigint, 1, $3)`,
      [workspaceId, chunks, model],
    );
  });
  await database.acrossWorkspaces.raw(
    'analyze knowledge, knowledge_chunks, knowledge_chunk_terms, knowledge_embeddings',
  );
  return { workspaceId, botIds };
}

type Run = (text: string, values?: unknown[]) => Promise<unknown>;

async function writeTexts(run: Run, workspaceId: string): Promise<void> {
  const numbers = Array.from({ length: vocabularySize }, (_, number) => number);
  const words = numbers.map(wordOf);
  const terms = words.map((word) => String([...termsOf(workspaceId, word).frequencies.keys()][0]));
  await run(
    `create temp table vocabulary on commit drop as
     select * from unnest($1::int[], $2::text[], $3::bigint[]) v(rank, word, term)`,
    [numbers, words, terms],
  );
  // A power of chance gives few words to many chunks, and many words to few.
  await run(
    `create temp table picked on commit drop as
     select m.id, v.word, v.term, count(*)::smallint as frequency
     from made m, generate_series(1, ${wordsPerChunk}) w,
       lateral (select floor(${vocabularySize} * power(random(), 3) + 0 * w + 0 * m.position)::int as rank) r
     join vocabulary v using (rank) group by 1, 2, 3`,
  );
  await run(
    `insert into knowledge_chunks (id, workspace_id, knowledge_id, position, heading_path, content, token_count)
     select m.id, $1, m.knowledge_id, m.position, '{}', string_agg(p.word, ' '), ${wordsPerChunk}
     from made m join picked p on p.id = m.id group by m.id, m.knowledge_id, m.position`,
    [workspaceId],
  );
  await run(
    `insert into knowledge_chunk_terms (chunk_id, workspace_id, knowledge_id, length, terms, frequencies)
     select m.id, $1, m.knowledge_id, ${wordsPerChunk}, array_agg(p.term), array_agg(p.frequency)
     from made m join picked p on p.id = m.id group by m.id, m.knowledge_id`,
    [workspaceId],
  );
  await run(
    `insert into knowledge_terms (workspace_id, term, chunk_count)
     select $1, term, count(*) from picked group by term`,
    [workspaceId],
  );
}

async function writeVectors(
  run: Run,
  workspaceId: string,
  model: string,
  vectors: Shape['vectors'],
  vectorsPerChunk: number,
): Promise<void> {
  const isByTopic = vectors === 'by topic';
  // Their length is nearly one.
  const spread = Math.sqrt(12 / dimensions / (isByTopic ? 1 + noise ** 2 : 1));
  // The same topics for all workspaces, as for texts about the same things.
  await run('select setseed(0.5)');
  await run(
    `create temp table topics on commit drop as
     select topic, array(select ((random() - 0.5) * ${spread} + 0 * topic)::real from generate_series(1, ${dimensions})) as center
     from generate_series(1, ${isByTopic ? topicCount : 0}) topic`,
  );
  await run('select setseed($1)', [Math.random()]);
  const random = (of: string) => `(random() - 0.5) * ${spread} * ${of} + 0 * m.position + 0 * part`;
  const vector = isByTopic
    ? `select (x + ${random(String(noise))})::real from unnest(t.center) x`
    : `select (${random('1')})::real from generate_series(1, ${dimensions})`;
  const topic = isByTopic
    ? `join topics t on t.topic = 1 + abs(hashtext(m.id::text || part)) % ${topicCount}`
    : '';
  await run(
    `insert into knowledge_embeddings (chunk_id, model, part, workspace_id, knowledge_id, vector)
     select id, $2, part, $1, knowledge_id, array(${vector})
     from (select * from made, generate_series(1, ${vectorsPerChunk}) part) m ${topic}`,
    [workspaceId, model],
  );
}
