import type { Knowledge } from '@svc/contract/knowledge';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeyRing } from '../../src/secrets/key-ring.ts';
import { hang, text } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { askedBy } from '../support/chat.ts';
import { connectTo, lockRow } from '../support/faults/locks.ts';
import { createFleet, key } from '../support/faults/service.ts';
import { until } from '../support/faults/until.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { startNode } from '../support/test-node.ts';
import { type EmbeddingsServer, startEmbeddingsServer } from './embeddings-server.ts';
import { type KnowledgeUser, knowledgeOf } from './user.ts';
import { article, startWebSite, type WebSite } from './web-site.ts';

const fleet = createFleet();
let embeddings: EmbeddingsServer;
let scripted: ScriptedModel;
let site: WebSite;
let service: ServiceProcess;
let knowledge: KnowledgeUser;
let rows: pg.Client;
/** The sources, by their progress when the process was killed. */
const ids: Record<'done' | 'fetching' | 'embedding' | 'writing', string> = {
  done: '',
  fetching: '',
  embedding: '',
  writing: '',
};
let embeddedBefore: string[];
let conversationId: string;
let readAgain: Knowledge;

/** Extends all heartbeats by an hour, so that no job is returned because of a missed heartbeat. */
const keepHeartbeats =
  "update pgboss.job set heartbeat_on = now() + interval '1 hour' where state = 'active'";

const longText = (word: string) =>
  Array.from(
    { length: 40 },
    (_, index) => `## ${word} ${index}\n\n${`The ${word} of part ${index} is as it should be. `.repeat(20)}`,
  ).join('\n\n');

async function start(): Promise<void> {
  service = await fleet.start({
    OPENAI_BASE_URL: embeddings.url,
    SVC_EMBEDDING_MODEL: 'openai/counted',
    ANTHROPIC_API_KEY: 'x',
    ANTHROPIC_BASE_URL: scripted.url('anthropic'),
    SVC_DEFAULT_MODEL: 'anthropic/claude-sonnet-4',
    SVC_EGRESS_ALLOW: '127.0.0.1',
  });
  knowledge = knowledgeOf(() => ({ url: service.url, key, call: service.call(key) }));
}

/** Chunks, those with vectors, and vectors that belong to none or to one twice. */
async function counts(id: string) {
  const { rows: found } = await rows.query(
    `select count(distinct c.id)::int as chunks, count(distinct c.content)::int as contents,
       count(distinct e.chunk_id)::int as embedded, count(e.chunk_id)::int as vectors
     from knowledge_chunks c left join knowledge_embeddings e on e.chunk_id = c.id where c.knowledge_id = $1`,
    [id],
  );
  return found[0] as { chunks: number; contents: number; embedded: number; vectors: number };
}

beforeAll(async () => {
  [embeddings, scripted, site] = await Promise.all([
    startEmbeddingsServer(),
    startScriptedModel(),
    startWebSite(),
  ]);
  await start();
  const connection = await fleet.connection();
  rows = await connectTo(connection);
  ids.done = await knowledge.addText('The cormorant dries its wings in the wind.', { title: 'Cormorant' });
  await knowledge.completed(ids.done);

  // A reply that was started with passages.
  const bot = await service.call(key)('POST /api/v1/bots', { body: { name: 'x', system_prompt: 'x' } });
  scripted.enqueue([text('It dries '), hang]);
  const stream = fleet.send(service, {
    bot_id: bot.body.id,
    message: 'What does the cormorant dry in the wind?',
    new_conversation: true,
  });
  await until('the reply has begun', () => stream.events.some(({ event }) => event === 'message.delta'));
  conversationId = stream.events[0]?.data.conversation_id;

  const [slow, slowAgain] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let fetches = 0;
  site.pages['/page'] = () => {
    fetches += 1;
    const body = article(
      'The page',
      ...Array.from({ length: 5 }, () => 'A curlew calls over the marsh at night.'),
    );
    return { body, until: (fetches === 1 ? slow : slowAgain).promise };
  };
  ids.fetching = await knowledge.addUrl(`${site.url}/page`);
  await until('the page is fetched', () => fetches === 1);

  embeddings.embedded.length = 0;
  const release = embeddings.hold(1);
  ids.embedding = await knowledge.addText(longText('dunlin'));
  const asked = embeddings.asked();
  await until('the second few are embedded', () => embeddings.asked() >= asked + 2);
  await until('the first few are kept', async () => (await counts(ids.embedding)).embedded > 0);
  embeddedBefore = embeddings.embedded.flat();

  const locked = await lockRow(connection, 'knowledge_statistics', 'true');
  ids.writing = await knowledge.addText(longText('knot'));
  await locked.blocks();

  await service.end('SIGKILL');
  await locked.abort();
  release();
  slow.resolve();
  expect((await rows.query(keepHeartbeats)).rowCount).toBe(3);
  scripted.respondWith((request) => {
    const id = /<passage id=\\"(k\d+)\\" title=\\"Cormorant/.exec(JSON.stringify(askedBy(request)))?.[1];
    return [text(`Its wings [${id}].`)];
  });
  await start();
  await until('the page is fetched again', () => fetches === 2);
  readAgain = await knowledge.read(ids.fetching);
  slowAgain.resolve();
});
afterAll(async () => {
  await rows.end();
  await fleet.end();
  await Promise.all([embeddings.close(), scripted.close(), site.close()]);
});

describe('after a kill -9', () => {
  it.each(['done', 'fetching', 'embedding', 'writing'] as const)(
    'a source that was %s is completed, with every passage and vector once',
    async (stage) => {
      await until(
        'it is processed',
        async () => (await knowledge.read(ids[stage])).processing_status === 'completed',
      );
      expect((await knowledge.read(ids[stage])).error).toBeNull();
      const { chunks, contents, embedded, vectors } = await counts(ids[stage]);
      expect(chunks).toBeGreaterThan(0);
      expect({ contents, embedded, vectors }).toEqual({
        contents: chunks,
        embedded: chunks,
        vectors: chunks,
      });
    },
  );

  it('a source that is being read again shows why', () => {
    expect(readAgain).toMatchObject({
      processing_status: 'processing',
      error: 'It was being read when the service ended, and is read again.',
    });
  });

  it('chunks that were already embedded are not embedded again', async () => {
    await until(
      'it is processed',
      async () => (await knowledge.read(ids.embedding)).processing_status === 'completed',
    );
    expect(embeddedBefore.length).toBeGreaterThan(0);
    const texts = embeddings.embedded.flat().filter((one) => one.includes('dunlin'));
    expect(texts).toHaveLength((await counts(ids.embedding)).chunks);
  });

  it('a reply that was started with passages gets them again and cites them', async () => {
    const read = async () => (await service.call(key)(`GET /api/v1/conversations/${conversationId}`)).body;
    await until('the turn ends', async () => (await read()).status === 'idle');
    const last = (await read()).messages.at(-1);
    expect(last).toMatchObject({
      role: 'assistant',
      content: 'Its wings [1].',
      interrupted: false,
      citations: [{ knowledge_id: ids.done, title: 'Cormorant' }],
    });
  });
});

it('with a shared database, a restart on the same machine resumes what the killed process was reading', async () => {
  const store = await createTestDatabase();
  const stuck = Promise.withResolvers<void>();
  let fetches = 0;
  site.pages['/shared'] = () => {
    fetches += 1;
    const body = article('The page', 'A whimbrel calls seven times over the mud flats.');
    return fetches === 1 ? { body, until: stuck.promise } : { body };
  };
  const environment = {
    ...store.environment,
    ...embeddings.environment,
    SVC_EGRESS_ALLOW: '127.0.0.1',
  };
  try {
    const first = await fleet.start(environment);
    const id = await knowledgeOf(() => ({ url: first.url, key, call: first.call(key) })).addUrl(
      `${site.url}/shared`,
    );
    await until('the page is fetched', () => fetches === 1);
    await first.end('SIGKILL');
    await store.database.acrossWorkspaces.raw(keepHeartbeats);
    // The node's heartbeat does not lapse either.
    await store.database.acrossWorkspaces.raw("update nodes set seen_at = now() + interval '1 hour'");
    const second = await startNode({
      database: store.database,
      environment,
      keyRing: createKeyRing(store.encryptionKey),
    });
    const user = knowledgeOf(() => second);
    await until('it is processed', async () => (await user.read(id)).processing_status === 'completed');
    expect(fetches).toBe(2);
    await second.stop();
  } finally {
    stuck.resolve();
    await store.drop();
  }
});
