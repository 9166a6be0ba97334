import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { type EmbeddingsServer, startEmbeddingsServer } from './embeddings-server.ts';
import { knowledgeOf, sendForm } from './user.ts';

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
const refused = (path: string) => ({
  status: 400,
  body: { success: false, code: 'VALIDATION_FAILED', details: [{ path }] },
});
const limit = 5_242_880;

describe('a form with files', () => {
  it('creates a source from each', async () => {
    const { status, body } = await knowledge.upload([
      ['Übersicht.md', '# Overview\n\nAll there is.'],
      ['notes.txt', 'Some notes.'],
    ]);
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        created: [
          { id: expect.any(String), filename: 'Übersicht.md', title: 'Übersicht.md' },
          { id: expect.any(String), filename: 'notes.txt', title: 'notes.txt' },
        ],
        errors: [],
      },
    });
    const [overview, notes] = await Promise.all(
      body.created.map(({ id }: { id: string }) => knowledge.completed(id)),
    );
    expect(overview).toMatchObject({
      content_type: 'uploaded_file',
      source_filename: 'Übersicht.md',
      source_url: null,
      // As the upload was answered; its own title leads its passages.
      title: 'Übersicht.md',
    });
    expect(overview.content).toContain('All there is.');
    expect(notes).toMatchObject({ title: 'notes.txt', content: expect.stringContaining('Some notes.') });
  });

  it('reads UTF-16 text without a byte order mark', async () => {
    const id = await knowledge.addFile('wide.txt', Buffer.from('Text from an old editor.', 'utf16le'));
    expect(await knowledge.completed(id)).toMatchObject({ content: 'Text from an old editor.' });
  });

  it('applies title, bot and metadata to all of them', async () => {
    const bot = { name: 'x', system_prompt: 'x' };
    const botId = (await service.call('POST /api/v1/bots', { body: bot })).body.id;
    const { status, body } = await knowledge.upload(
      [
        ['a.md', '# Its own title\n\nText.'],
        ['b.md', 'Text.'],
      ],
      { title: 'Mine', bot_id: botId, metadata: '{ "team": "a" }' },
    );
    expect(status).toBe(201);
    for (const { id, title } of body.created) {
      expect(title).toBe('Mine');
      expect(await knowledge.completed(id)).toMatchObject({
        title: 'Mine',
        bot_id: botId,
        metadata: { team: 'a' },
      });
    }
  });

  it('accepts the valid ones and reports what is wrong with the others', async () => {
    const { status, body } = await knowledge.upload([
      ['program.exe', 'x'],
      ['good.txt', 'Good.'],
      ['large.txt', 'x'.repeat(limit + 1)],
      ['login.pdf', '<html><p>Sign in first</p></html>'],
      ['empty.md', ''],
    ]);
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        created: [{ id: expect.any(String), filename: 'good.txt', title: 'good.txt' }],
        errors: [
          { filename: 'program.exe', reason: expect.stringContaining('.pdf') },
          { filename: 'large.txt', reason: expect.stringContaining('5242880') },
          { filename: 'login.pdf', reason: expect.stringContaining('it is a web page and not a PDF') },
          { filename: 'empty.md', reason: 'The file is empty.' },
        ],
      },
    });
  });

  it('answers 400 in the shape of an error when none is valid', async () => {
    const { status, body } = await knowledge.upload([['program.exe', 'x']]);
    expect({ status, body }).toEqual({
      status: 400,
      body: {
        success: false,
        code: 'VALIDATION_FAILED',
        message: expect.any(String),
        request_id: expect.any(String),
        created: [],
        errors: [{ filename: 'program.exe', reason: expect.any(String) }],
      },
    });
  });

  it('accepts five files of exactly 5,242,880 bytes', async () => {
    const content = 'word '.repeat(limit / 5 + 1).slice(0, limit);
    const files = ['a', 'b', 'c', 'd', 'e'].map((name): [string, string] => [`${name}.txt`, content]);
    const { status, body } = await knowledge.upload(files);
    expect({ status, errors: body.errors }).toEqual({ status: 201, errors: [] });
    // Embedding so much would take too long.
    for (const { id } of body.created) await service.call(`DELETE /api/v1/knowledge/${id}?type=hard`);
  });

  it('allows no path traversal', async () => {
    const { body } = await knowledge.upload([['../../etc/passwd.txt', 'x']]);
    expect(body.created).toMatchObject([{ filename: 'passwd.txt' }]);
  });
});

describe('a form is refused as a whole', () => {
  it('without a file', async () => {
    expect(await knowledge.upload([], { title: 'x' })).toMatchObject(refused('files'));
    expect(await sendForm(service.url, service.key, new FormData())).toMatchObject(refused('files'));
  });

  it('with more than five', async () => {
    const files = 'abcdef'.split('').map((name): [string, string] => [`${name}.txt`, name]);
    expect(await knowledge.upload(files)).toMatchObject(refused('files'));
  });

  it.each([
    ['surprise', { surprise: 'x' }],
    ['bot_id', { bot_id: 'x' }],
    ['title', { title: '' }],
    ['title', { title: '  ' }],
    ['title', { title: 'x'.repeat(501) }],
    ['title', { title: 'a\0b' }],
    ['files', { files: 'x' }],
  ])('for its field %s', async (path, fields) => {
    expect(await knowledge.upload([['a.txt', 'x']], fields)).toMatchObject(refused(path));
  });

  it('for a repeated field', async () => {
    const form = new FormData();
    form.append('title', 'a');
    form.append('title', 'b');
    form.append('files', new Blob(['x']), 'a.txt');
    expect(await sendForm(service.url, service.key, form)).toMatchObject(refused('title'));
  });

  it("for an unknown bot or another workspace's bot", async () => {
    const other = await service.makeWorkspace();
    const bot = { name: 'x', system_prompt: 'x' };
    const theirs = (await service.call('POST /api/v1/bots', { key: other.key, body: bot })).body.id;
    for (const botId of [randomUUID(), theirs]) {
      expect(await knowledge.upload([['a.txt', 'x']], { bot_id: botId })).toMatchObject({ status: 404 });
    }
  });

  it.each(['not json', '[]', '"x"', '{"a":1}', `{"a":"${'x'.repeat(9000)}"}`])(
    'with 422 for metadata %.20s',
    async (metadata) => {
      expect(await knowledge.upload([['a.txt', 'x']], { metadata })).toMatchObject({
        status: 422,
        body: { code: 'METADATA_INVALID' },
      });
    },
  );

  it('with 422 for metadata that is declared as JSON and is not', async () => {
    const body = [
      part('metadata', '{broken', 'Content-Type: application/json\r\n'),
      part('files"; filename="a.txt', 'x'),
      '--edge--\r\n',
    ].join('');
    expect(await sendRaw(body)).toMatchObject({ status: 422, body: { code: 'METADATA_INVALID' } });
  });

  it('but not for valid metadata that is declared as JSON', async () => {
    const body = [
      part('metadata', '{"a":"1"}', 'Content-Type: application/json\r\n'),
      part('files"; filename="a.txt', 'x'),
      '--edge--\r\n',
    ].join('');
    const answer = await sendRaw(body);
    expect(answer.status).toBe(201);
    expect((await knowledge.read(answer.body.created[0].id)).metadata).toEqual({ a: '1' });
  });

  it.each([
    ['an end in the middle', `${part('files"; filename="a.txt', 'x')}--edge`, 'edge'],
    ['no edges at all', 'hello', 'edge'],
    ['no edge named', 'hello', undefined],
    ['another edge', `${part('files"; filename="a.txt', 'x')}--edge--\r\n`, 'other'],
  ])('when it is not well-formed: %s', async (_what, body, boundary) => {
    expect(await sendRaw(body, boundary)).toMatchObject({
      status: 400,
      body: { success: false, code: 'VALIDATION_FAILED' },
    });
  });

  it('by every other route', async () => {
    const form = new FormData();
    form.append('files', new Blob(['x']), 'a.txt');
    const response = await fetch(`${service.url}/api/v1/bots`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}` },
      body: form,
    });
    expect(response.status).toBe(415);
  });
});

describe('a repeated form', () => {
  const send = (files: [string, string][], key: string, fields: Record<string, string> = {}) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    for (const [name, content] of files) form.append('files', new Blob([content]), name);
    return sendForm(service.url, service.key, form, { 'idempotency-key': key });
  };

  it('gets the first response and creates nothing new', async () => {
    const key = randomUUID();
    const first = await send([['once.txt', 'x']], key);
    expect(first.status).toBe(201);
    expect(await send([['once.txt', 'x']], key)).toMatchObject({ status: 201, body: first.body });
    const { rows } = await service.database.acrossWorkspaces.execute(
      sql`select id from knowledge where source_filename = 'once.txt'`,
    );
    expect(rows).toHaveLength(1);
  });

  it('that failed may be corrected under the same key', async () => {
    const key = randomUUID();
    expect((await send([['empty.txt', '']], key)).status).toBe(400);
    expect((await send([['mended.txt', 'x']], key)).status).toBe(201);
  });

  it('with different content, name or field is another request', async () => {
    const key = randomUUID();
    await send([['same.txt', 'x']], key, { title: 'a' });
    const mismatch = { status: 409, body: { code: 'IDEMPOTENCY_MISMATCH' } };
    expect(await send([['same.txt', 'y']], key, { title: 'a' })).toMatchObject(mismatch);
    expect(await send([['other.txt', 'x']], key, { title: 'a' })).toMatchObject(mismatch);
    expect(await send([['same.txt', 'x']], key, { title: 'b' })).toMatchObject(mismatch);
  });
});

it('is described in the OpenAPI document', async () => {
  const document = (await service.call('GET /openapi.json')).body;
  const { content } = document.paths['/api/v1/knowledge'].post.requestBody;
  expect(Object.keys(content)).toEqual(['application/json', 'multipart/form-data']);
  expect(content['multipart/form-data'].schema).toMatchObject({
    type: 'object',
    required: ['files'],
    properties: {
      files: { type: 'array', minItems: 1, maxItems: 5, items: { type: 'string', format: 'binary' } },
      title: { type: 'string' },
      bot_id: { type: 'string', format: 'uuid' },
      metadata: { type: 'string', contentMediaType: 'application/json' },
    },
  });
});

function part(name: string, content: string, headers = ''): string {
  return `--edge\r\nContent-Disposition: form-data; name="${name}"\r\n${headers}\r\n${content}\r\n`;
}

function sendRaw(body: string, boundary: string | undefined = 'edge') {
  const type = boundary === undefined ? 'multipart/form-data' : `multipart/form-data; boundary=${boundary}`;
  return sendForm(service.url, service.key, Buffer.from(body), { 'content-type': type });
}
