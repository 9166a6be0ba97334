import { createSpender } from '../packages/server/src/billing/spender.ts';
import type { Database } from '../packages/server/src/database/database.ts';
import { createTrustedLane } from '../packages/server/src/egress/trusted-lane.ts';
import { createRetrieval } from '../packages/server/src/knowledge/retrieval/retrieve.ts';
import { createPgvectorIndex } from '../packages/server/src/knowledge/vector-index/pgvector/pgvector-index.ts';
import { createLog } from '../packages/server/src/lib/log.ts';
import { createEmbedderRegistry } from '../packages/server/src/models/embeddings/embedder-registry.ts';
import { dimensions, type Filled, fillWorkspace, type Shape } from './knowledge/fill.ts';
import { withVectorsAtHand } from './knowledge/vectors-at-hand.ts';
import { ask } from './knowledge-large/ask.ts';
import { ingest } from './knowledge-large/ingest.ts';
import { openOwnDatabase } from './knowledge-large/server.ts';
import { sizesOf } from './knowledge-large/sizes.ts';
import type { Benchmark } from './support/benchmark.ts';

/** A million passages in PostgreSQL with pgvector: how large the index is, how fast passages come in, and how well they are found. */
export const knowledgeLarge: Benchmark = async ({ cleanUp, quick, say, show }) => {
  const log = createLog({ level: 'warn', readable: false });
  const database = await openOwnDatabase(cleanUp, log);
  const lane = createTrustedLane();
  await cleanUp.add(() => lane.close());
  const embedders = createEmbedderRegistry({ providers: {}, lane, log });
  await cleanUp.add(() => embedders.stop());
  const model = embedders.current().id;

  const unit = quick ? 100 : 10_000;
  const made = await fill(database, model, unit, say);
  const rateBefore = await ingest(database, made.unembedded.workspaceId, model);
  const index = createPgvectorIndex({ database, log });
  await cleanUp.add(() => index.stop());
  say('Large knowledge: building the index');
  const building = performance.now();
  await index.prepare(model, dimensions);
  const buildSeconds = (performance.now() - building) / 1000;
  const rateAfter = await ingest(database, made.unembedded.workspaceId, model);
  show(await sizesOf(database, model, { buildSeconds, rateBefore, rateAfter }));

  const { large, agency, small } = made;
  const inWorkspaceOf = (units: number) => `in a workspace of ${(units * unit).toLocaleString('en')}`;
  const scopes = [
    { title: inWorkspaceOf(60), workspaceId: large.workspaceId, botId: undefined },
    { title: inWorkspaceOf(9), workspaceId: agency.workspaceId, botId: undefined },
    { title: 'of one of its 30 bots', workspaceId: agency.workspaceId, botId: agency.botIds[1] },
    { title: inWorkspaceOf(0.1), workspaceId: small.workspaceId, botId: undefined },
  ];
  const spender = createSpender({
    database,
    models: { priceOf: () => undefined },
    creditOf: async () => null,
    nodeId: '',
  });
  const retrievalWith = (vectorOf: (number: number) => Float32Array) =>
    createRetrieval({ database, index, spender, log, embedders: withVectorsAtHand(embedders, vectorOf) });
  for (const { title, ...scope } of scopes) {
    say(`Large knowledge: asking for passages ${title}`);
    const questions = quick ? 20 : 200;
    show(await ask({ database, index, retrievalWith }, { ...scope, model }, { title, questions }));
  }
};

interface Made {
  large: Filled;
  agency: Filled;
  small: Filled;
  /** Passages that have no vectors yet. */
  unembedded: Filled;
}

/** A hundred units of passages, in workspaces of several sizes. */
async function fill(
  database: Database,
  model: string,
  unit: number,
  say: (text: string) => void,
): Promise<Made> {
  const make = async (chunks: number, shape: Partial<Shape> = {}) => {
    const started = performance.now();
    const filled = await fillWorkspace(database, model, {
      chunks,
      vectorsPerChunk: 1,
      vectors: 'by topic',
      ...shape,
    });
    say(`Large knowledge: made ${chunks} passages in ${Math.round((performance.now() - started) / 1000)} s`);
    return filled;
  };
  const large = await make(60 * unit);
  const agency = await make(9 * unit, { bots: 30 });
  for (let number = 0; number < 3; number += 1) await make(9 * unit);
  const small = await make(unit / 10);
  const others = 3.7 * unit;
  await make(others);
  return { large, agency, small, unembedded: await make(2_000, { vectorsPerChunk: 0 }) };
}
