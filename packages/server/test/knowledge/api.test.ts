import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { type EmbeddingsServer, startEmbeddingsServer } from './embeddings-server.ts';
import { knowledgeOf } from './user.ts';

let embeddings: EmbeddingsServer;
let service: TestApp;
beforeAll(async () => {
  embeddings = await startEmbeddingsServer();
  service = await startTestApp({ environment: embeddings.environment });
});
afterAll(async () => {
  await service.stop();
  await embeddings.close();
});

const knowledge = knowledgeOf(() => service);
const create = (body: object, headers = {}) => service.call('POST /api/v1/knowledge', { body, headers });
const text = { content_type: 'text', title: 'Returns', content: 'Within 30 days.' };
const idsOf = (answer: { body: { id: string }[] }) => answer.body.map(({ id }) => id);

/** A new workspace, for tests that count or list everything. */
async function freshWorkspace() {
  const { key } = await service.makeWorkspace();
  return {
    user: knowledgeOf(() => service, key),
    call: (operation: string, options = {}) => service.call(operation, { key, ...options }),
  };
}

describe('creating', () => {
  it('returns the whole source immediately and processes it in the background', async () => {
    const { status, body } = await create({ ...text, metadata: { team: 'a' } });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      tenant_id: expect.any(String),
      bot_id: null,
      title: 'Returns',
      content: 'Within 30 days.',
      content_truncated: false,
      content_type: 'text',
      source_filename: null,
      source_url: null,
      metadata: { team: 'a' },
      processing_status: 'pending',
      processing_progress: 0,
      error: null,
      status: 'active',
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      updated_at: expect.any(String),
    });
    const done = await knowledge.completed(body.id);
    expect(done).toEqual({
      ...body,
      processing_status: 'completed',
      processing_progress: 1,
      updated_at: expect.any(String),
    });
  });

  it('accepts up to 50,000 characters, counted as a person would', async () => {
    const longest = '😀'.repeat(50_000);
    expect(await create({ ...text, content: longest })).toMatchObject({
      status: 201,
      body: { content: longest, content_truncated: false },
    });
    expect(await create({ ...text, content: `${longest}!` })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', details: [{ path: 'content' }] },
    });
  });

  it.each([
    [{ title: 'x', content: 'x' }, 'content_type'],
    [{ content_type: 'uploaded_file', title: 'x' }, 'content_type'],
    [{ content_type: 'text', content: 'x' }, 'title'],
    [{ content_type: 'text', title: ' ', content: 'x' }, 'title'],
    [{ content_type: 'text', title: 'x' }, 'content'],
    [{ content_type: 'text', title: 'x', content: '' }, 'content'],
    [{ content_type: 'text', title: 'x', content: ' \n ' }, 'content'],
    [{ content_type: 'text', title: 'x', content: 7 }, 'content'],
    [{ content_type: 'text', title: 'x', content: 'x', url: 'https://example.com' }, 'url'],
    [{ content_type: 'url' }, 'url'],
    [{ content_type: 'url', url: 'ftp://example.com' }, 'url'],
    [{ content_type: 'url', url: 'example' }, 'url'],
    [{ content_type: 'url', url: 'https://user:secret@example.com/a' }, 'url'],
    [{ content_type: 'url', url: 'https://example.com', content: 'x' }, 'content'],
    [{ ...text, bot_id: 'x' }, 'bot_id'],
    [{ ...text, surprise: 1 }, 'surprise'],
  ])('refuses %j and names %s', async (body, path) => {
    expect(await create(body)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', details: [{ path }] },
    });
  });

  it('names every field that is missing', async () => {
    expect(await create({ content_type: 'text' })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', details: [{ path: 'title' }, { path: 'content' }] },
    });
  });

  it.each([[{ a: 1 }], [{ a: 'x'.repeat(9000) }], [[]], ['x']])(
    'answers 422 to invalid metadata',
    async (metadata) => {
      expect(await create({ ...text, metadata })).toMatchObject({
        status: 422,
        body: { code: 'METADATA_INVALID' },
      });
    },
  );

  it('accepts a source as it was returned', async () => {
    const { body } = await create(text);
    expect(await create(body)).toMatchObject({ status: 201, body: { title: 'Returns' } });
  });

  it("answers 404 to an unknown bot or another workspace's bot", async () => {
    const other = await service.makeWorkspace();
    const bot = { name: 'x', system_prompt: 'x' };
    const theirs = (await service.call('POST /api/v1/bots', { key: other.key, body: bot })).body.id;
    const answers = [
      await create({ ...text, bot_id: randomUUID() }),
      await create({ ...text, bot_id: theirs }),
    ];
    for (const answer of answers) expect(answer).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    const ours = (await service.call('POST /api/v1/bots', { body: bot })).body.id;
    expect(await create({ ...text, bot_id: ours })).toMatchObject({ status: 201, body: { bot_id: ours } });
  });

  it('creates one source from repeated requests', async () => {
    const { call } = await freshWorkspace();
    const headers = { 'idempotency-key': randomUUID() };
    const first = await call('POST /api/v1/knowledge', { body: text, headers });
    expect(first.status).toBe(201);
    expect(await call('POST /api/v1/knowledge', { body: text, headers })).toMatchObject({
      status: 201,
      body: first.body,
    });
    const other = { ...text, title: 'Other' };
    expect(await call('POST /api/v1/knowledge', { body: other, headers })).toMatchObject({
      status: 409,
      body: { code: 'IDEMPOTENCY_MISMATCH' },
    });
    expect(idsOf(await call('GET /api/v1/knowledge'))).toEqual([first.body.id]);
  });
});

describe('listing and counting', () => {
  it('lists all sources, oldest first, and filters by metadata', async () => {
    const { user, call } = await freshWorkspace();
    const first = await user.addText('one', { metadata: { team: 'a', tier: 'gold' } });
    const second = await user.addText('two', { metadata: { team: 'a' } });
    const third = await user.addText('three');
    expect(idsOf(await call('GET /api/v1/knowledge'))).toEqual([first, second, third]);
    expect(idsOf(await call('GET /api/v1/knowledge?metadata.team=a'))).toEqual([first, second]);
    expect(idsOf(await call('GET /api/v1/knowledge?metadata.team=a&metadata.tier=gold'))).toEqual([first]);
    expect(await call('GET /api/v1/knowledge?limit=1')).toMatchObject({ status: 400 });
  });

  it('counts by type and by status', async () => {
    const { user, call } = await freshWorkspace();
    const nothing = await call('GET /api/v1/knowledge/stats');
    expect(nothing.body).toEqual({
      total_knowledge_bases: 0,
      by_type: { text: 0, uploaded_file: 0, url: 0 },
      by_status: { pending: 0, processing: 0, completed: 0, failed: 0 },
    });
    const ids = [
      await user.addText('one'),
      await user.addFile('two.md', '# Two'),
      await user.addUrl('http://127.0.0.1/private'),
    ];
    for (const id of ids) await user.settled(id);
    const gone = await user.addText('three');
    await call(`DELETE /api/v1/knowledge/${gone}`);
    expect((await call('GET /api/v1/knowledge/stats')).body).toEqual({
      total_knowledge_bases: 3,
      by_type: { text: 1, uploaded_file: 1, url: 1 },
      by_status: { pending: 0, processing: 0, completed: 2, failed: 1 },
    });
  });
});

describe('metadata', () => {
  it('is replaced as a whole', async () => {
    const id = await knowledge.addText('x', { metadata: { a: '1' } });
    const patch = (body: unknown) => service.call(`PATCH /api/v1/knowledge/${id}/metadata`, { body });
    expect(await patch({ b: '2' })).toMatchObject({ status: 200, body: { message: expect.any(String) } });
    expect((await knowledge.read(id)).metadata).toEqual({ b: '2' });
    expect(await patch({})).toMatchObject({ status: 200 });
    expect((await knowledge.read(id)).metadata).toEqual({});
    expect(await patch({ a: 1 })).toMatchObject({ status: 422, body: { code: 'METADATA_INVALID' } });
  });
});

describe('deleting', () => {
  it('softly hides a source everywhere, and restoring brings it back', async () => {
    const { user, call } = await freshWorkspace();
    const id = await user.addText('x');
    await user.completed(id);
    for (let time = 0; time < 2; time += 1) {
      expect(await call(`DELETE /api/v1/knowledge/${id}`)).toMatchObject({
        status: 200,
        body: { message: expect.any(String) },
      });
    }
    expect(await call(`GET /api/v1/knowledge/${id}`)).toMatchObject({ status: 404 });
    expect((await call('GET /api/v1/knowledge')).body).toEqual([]);
    expect((await call('GET /api/v1/knowledge/stats')).body.total_knowledge_bases).toBe(0);
    const resting = await call('GET /api/v1/knowledge?status=inactive');
    expect(resting.body).toMatchObject([{ id, status: 'inactive' }]);
    for (const change of ['refresh', 'metadata']) {
      const method = change === 'refresh' ? 'POST' : 'PATCH';
      expect(await call(`${method} /api/v1/knowledge/${id}/${change}`, { body: {} })).toMatchObject({
        status: 404,
      });
    }

    for (let time = 0; time < 2; time += 1) {
      expect(await call(`POST /api/v1/knowledge/${id}/restore`)).toMatchObject({ status: 200 });
    }
    expect(await user.read(id)).toMatchObject({ status: 'active', processing_status: 'completed' });
    expect((await call('GET /api/v1/knowledge?status=inactive')).body).toEqual([]);
  });

  it('permanently leaves nothing behind, whatever the status of the source', async () => {
    const { user, call } = await freshWorkspace();
    const [active, inactive] = [await user.addText('x'), await user.addText('y')];
    await call(`DELETE /api/v1/knowledge/${inactive}?type=soft`);
    for (const id of [active, inactive]) {
      expect(await call(`DELETE /api/v1/knowledge/${id}?type=hard`)).toMatchObject({ status: 200 });
      for (const operation of [`GET /api/v1/knowledge/${id}`, `POST /api/v1/knowledge/${id}/restore`]) {
        expect(await call(operation)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
      }
      expect(await call(`DELETE /api/v1/knowledge/${id}?type=hard`)).toMatchObject({ status: 404 });
    }
    expect((await call('GET /api/v1/knowledge?status=inactive')).body).toEqual([]);
    expect(await call(`DELETE /api/v1/knowledge/${randomUUID()}?type=gently`)).toMatchObject({ status: 400 });
  });
});
