import { searchKeywords } from '../../packages/server/src/knowledge/keywords/keyword-search.ts';
import { fuse } from '../../packages/server/src/knowledge/retrieval/fuse.ts';
import { createRetrieval } from '../../packages/server/src/knowledge/retrieval/retrieve.ts';
import type { EmbedderRegistry } from '../../packages/server/src/models/embeddings/embedder-registry.ts';
import type { Stage } from './stage.ts';

/** Each leg alone, both fused, and what is left of that above the floor: what a bot is given. */
export const ways = ['words', 'vectors', 'fused', 'shown'] as const;
export type Way = (typeof ways)[number];

/** The chunks that each way finds, best first. */
export type Ranking = Record<Way, string[]>;

const depth = 50;
const signal = new AbortController().signal;

export function waysToSearch(
  { embedders: real, ...stage }: Stage,
  workspaceId: string,
): (question: string) => Promise<Ranking> {
  const { database, index } = stage;
  const embedders = embeddingOnce(real);
  const retrieval = createRetrieval({ ...stage, embedders });
  const scope = { workspaceId, botId: undefined };
  const ids = (hits: readonly { chunkId: string }[]) => hits.map(({ chunkId }) => chunkId);

  return async (question) => {
    const embedder = embedders.current();
    const { vectors } = await embedder.embed([question], 'query', signal);
    const keyword = await searchKeywords(database, scope, question, depth);
    const vector = vectors[0]
      ? ((await index.search({ ...scope, model: embedder.id }, vectors[0], depth)) ?? [])
      : [];
    const { passages } = await retrieval.search({ workspaceId, query: question, limit: depth }, signal);
    return {
      words: ids(keyword),
      vectors: ids(vector),
      fused: ids(fuse({ keyword, vector, model: embedder.id })),
      shown: passages.map(({ chunk_id: id }) => id),
    };
  };
}

/** The same question is asked in several ways: its vector is the same. */
function embeddingOnce(embedders: EmbedderRegistry): EmbedderRegistry {
  const real = embedders.current();
  let last: { text: string | undefined; answer: ReturnType<typeof real.embed> } | undefined;
  const embedder: typeof real = {
    ...real,
    embed(texts, purpose, given) {
      if (!last || last.text !== texts[0])
        last = { text: texts[0], answer: real.embed(texts, purpose, given) };
      return last.answer;
    },
  };
  return { ...embedders, find: () => embedder, current: () => embedder };
}
