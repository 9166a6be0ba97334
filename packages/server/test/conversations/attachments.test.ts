import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAttachments } from '../../src/conversations/attachments/attachments.service.ts';
import { sql } from '../../src/database/drizzle.ts';
import { pdf } from '../knowledge/documents.ts';
import * as script from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { startBucketServer } from '../support/bucket-server.ts';
import { chatWith, eventually, scriptedEnvironment, upTo } from '../support/chat.ts';
import { makePerson, sayAs } from '../support/end-users.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let scripted: ScriptedModel;
let service: TestApp;
let botId: string;
let blindId: string;
const chat = chatWith(() => service);
beforeAll(async () => {
  scripted = await startScriptedModel();
  service = await startTestApp({ environment: scriptedEnvironment(scripted) });
  botId = await chat.bot();
  blindId = await chat.bot({ model: 'openai/gpt-3.5-turbo' });
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
});
beforeEach(() => scripted.respondWith(() => [script.text('I see.')]));

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

async function post(bytes: Uint8Array<ArrayBuffer> | Buffer, name: string, key = service.key, headers = {}) {
  const form = new FormData();
  form.append('files', new Blob([new Uint8Array(bytes)]), name);
  const response = await fetch(`${service.url}/api/v1/attachments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...headers },
    body: form,
  });
  return { status: response.status, body: await response.json() };
}

async function upload(bytes: Uint8Array<ArrayBuffer> | Buffer = png, name = 'mug.png', key = service.key) {
  const { status, body } = await post(bytes, name, key);
  expect({ status, body }).toMatchObject({ status: 201 });
  return body as { id: string; name: string; media_type: string; size: number };
}

async function download(id: string, key = service.key) {
  const response = await fetch(`${service.url}/api/v1/attachments/${id}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** What the model was last sent as the text and the images of the latest user's message. */
function lastAsked(): { text: string; images: string[] } {
  const messages = scripted.requests.at(-1)?.body['messages'] as { role: string; content: unknown }[];
  const content = messages.findLast(({ role }) => role === 'user')?.content;
  if (typeof content === 'string') return { text: content, images: [] };
  const parts = content as { type: string; text?: string; image_url?: { url: string } }[];
  return {
    text: parts.flatMap(({ text }) => text ?? []).join(''),
    images: parts.flatMap(({ image_url: image }) => image?.url ?? []),
  };
}

const stored = async (id: string) =>
  (await service.database.acrossWorkspaces.execute(sql`select from attachments where id = ${id}`)).rows
    .length;

describe('a message with files', () => {
  it('shows images to a model that sees them, and keeps showing them', async () => {
    const file = await upload();
    expect(file).toEqual({
      id: expect.any(String),
      name: 'mug.png',
      media_type: 'image/png',
      size: png.length,
    });
    const user = { bot_id: botId, external_user_id: randomUUID() };
    const said = await chat.say({ ...user, message: 'It is broken', attachments: [file.id] });
    expect(lastAsked()).toEqual({
      text: 'It is broken\n\n[Attached image "mug.png"]',
      images: [`data:image/png;base64,${png.toString('base64')}`],
    });
    const started = said.events.find(({ event }) => event === 'turn.started');
    expect(started?.data.user_message.attachments).toEqual([file]);
    const read = await service.call(`GET /api/v1/conversations/${said.conversationId}`);
    expect(read.body.messages[0].attachments).toEqual([file]);
    expect(read.body.messages[1]).not.toHaveProperty('attachments');

    await chat.say({ ...user, message: 'And now?' });
    expect(lastAsked()).toEqual({ text: 'And now?', images: [] });
    expect(JSON.stringify(scripted.requests.at(-1)?.body)).toContain(png.toString('base64'));
  });

  it('gives the text of a document to every model, and says which images it does not see', async () => {
    const files = [
      await upload(Buffer.from(await pdf('Invoice 77', 'Total: 41 euros')), 'inv oice.pdf'),
      await upload(),
    ];
    await chat.say({ bot_id: blindId, message: 'How much?', attachments: files.map(({ id }) => id) });
    const { text, images } = lastAsked();
    expect(images).toEqual([]);
    expect(text).toMatch(
      /^How much\?\n\n\[Attached document "inv oice\.pdf":\]\n[^]*Total: 41 euros[^]*\n\[End of the document\]\n\n\[Attached image "mug\.png", which is not shown to you\]$/,
    );
  });

  it('accepts a PDF without a text, and says so to the model', async () => {
    const broken = await upload(Buffer.from('%PDF-1.7\nnothing'), 'scan.pdf');
    await chat.say({ bot_id: botId, message: 'Read it', attachments: [broken.id] });
    expect(lastAsked().text).toBe('Read it\n\n[Attached document "scan.pdf", of which you have no text]');
  });

  it('cuts long documents to what a conversation has room for', async () => {
    const lines = Array.from({ length: 30 }, (_, index) => `Line ${index} ${'word '.repeat(12)}`);
    const file = await upload(Buffer.from(await pdf('Long', ...lines)), 'long.pdf');
    await service.database.acrossWorkspaces.execute(
      sql`update attachments set text = ${'word '.repeat(8_000)} where id = ${file.id}`,
    );
    const other = await upload(Buffer.from(await pdf('Other', 'short')), 'other.pdf');
    await chat.say({ bot_id: botId, message: 'Compare', attachments: [file.id, other.id] });
    const { text } = lastAsked();
    expect(text).toContain('short');
    expect(text.length).toBeLessThan(45_000);
  });

  it('shows no image that a provider would refuse all of the request for', async () => {
    const large = await upload(Buffer.concat([png, Buffer.alloc(4_000_000)]), 'large.png');
    const small = await upload();
    await chat.say({ bot_id: botId, message: 'Look', attachments: [large.id, small.id] });
    expect(lastAsked()).toEqual({
      text: 'Look\n\n[Attached image "large.png", which is not shown to you]\n\n[Attached image "mug.png"]',
      images: [`data:image/png;base64,${png.toString('base64')}`],
    });
  });

  it('is refused if a file is unknown, of somebody else, or was sent before', async () => {
    const { id } = await upload();
    const user = { bot_id: botId, external_user_id: randomUUID() };
    await chat.say({ ...user, message: 'one', attachments: [id.toUpperCase()] });
    const refused = async (attachments: string[], key = service.key) => {
      const body = { ...user, message: 'two', attachments };
      const { status, body: answer } = await service.call('POST /api/v1/chat/send-stream', { body, key });
      return [status, answer.details?.[0]?.path];
    };
    expect(await refused([id])).toEqual([404, 'attachments']);
    expect(await refused([randomUUID()])).toEqual([404, 'attachments']);
    expect(await refused(['x'])).toEqual([400, 'attachments.0']);
    expect(await refused(Array.from({ length: 6 }, () => randomUUID()))).toEqual([400, 'attachments']);
    expect(await refused([id, id])).toEqual([400, 'attachments']);
    const person = await makePerson(service);
    const theirs = await upload(png, 'theirs.png', person.token);
    expect(await refused([theirs.id])).toEqual([404, 'attachments']);
    const [conversation] = (
      await service.call(`GET /api/v1/conversations?external_user_id=${user.external_user_id}`)
    ).body;
    expect(conversation.message_count).toBe(2);
  });

  it('is sent once when many requests send the same file', async () => {
    const { id } = await upload();
    const sent = await Promise.all(
      Array.from({ length: 5 }, () =>
        service.call('POST /api/v1/chat/send-stream', {
          body: { bot_id: botId, external_user_id: randomUUID(), message: 'mine', attachments: [id] },
        }),
      ),
    );
    expect(sent.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404, 404]);
  });

  it('keeps its files when it is answered again or edited', async () => {
    const file = await upload();
    const said = await chat.say({ bot_id: botId, message: 'Broken', attachments: [file.id] });
    const path = `POST /api/v1/conversations/${said.conversationId}/messages/${said.userMessageId}`;
    expect((await service.call(`${path}/edit`, { body: { content: 'Very broken' } })).status).toBe(200);
    expect(lastAsked()).toMatchObject({
      text: expect.stringContaining('Very broken\n\n[Attached'),
      images: [{}],
    });
    const { body } = await service.call(`GET /api/v1/conversations/${said.conversationId}`);
    expect(body.messages[0]).toMatchObject({ content: 'Very broken', attachments: [file] });
    expect((await download(file.id)).bytes.equals(png)).toBe(true);
  });
});

describe('a file', () => {
  it('is downloaded as it was uploaded, under its name', async () => {
    const file = await upload(png, 'Täßchen “1”.png');
    const { response, bytes } = await download(file.id);
    expect(bytes.equals(png)).toBe(true);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': `attachment; filename="T__chen _1_.png"; filename*=UTF-8''${encodeURIComponent('Täßchen “1”.png')}`,
      'x-content-type-options': 'nosniff',
    });
  });

  it('has a name without hidden characters, which ends as what it is', async () => {
    const pdfBytes = Buffer.from('%PDF-<script>');
    const names = ['photo\u202egnp.js', 'a.JPG', 'invoice.html'];
    const files = [
      await upload(png, names[0]),
      await upload(Buffer.from('\xff\xd8\xff', 'latin1'), names[1]),
    ];
    files.push(await upload(pdfBytes, names[2]));
    expect(files.map(({ name }) => name)).toEqual(['photognp.js.png', 'a.JPG', 'invoice.html.pdf']);
  });

  it('counts as a stream of its end user, so that strangers do not use up the lists of the workspace', async () => {
    const person = await makePerson(service);
    const { id } = await upload(png, 'mug.png', person.token);
    const { conversationId } = await sayAs(service, person, { bot_id: botId, attachments: [id] });
    const open = () => chat.listen(conversationId, { key: person.token });
    const streams = await Promise.all(upTo(12).map(open));
    expect((await download(id, person.token)).response.status).toBe(429);
    expect((await download(id)).response.status).toBe(200);
    streams[0]?.close();
    await eventually(async () => (await download(id, person.token)).response.status).toBe(200);
    for (const stream of streams) stream.close();
  });

  it('is refused unless its bytes are those of an image or a PDF', async () => {
    const refused = async (bytes: Buffer, name: string) => {
      const { status, body } = await post(bytes, name);
      return [status, body.details?.[0]];
    };
    const wrong = { path: 'files', message: 'must be an image (PNG, JPEG, GIF or WebP) or a PDF' };
    expect(await refused(Buffer.from('<svg onload="alert(1)">'), 'a.png')).toEqual([400, wrong]);
    expect(await refused(Buffer.alloc(0), 'a.png')).toEqual([
      400,
      { path: 'files', message: 'must not be empty' },
    ]);
    expect(await refused(Buffer.concat([png, Buffer.alloc(5_242_880)]), 'a.png')).toEqual([
      400,
      { path: 'files', message: 'must be at most 5242880 bytes each' },
    ]);
    const json = await service.call('POST /api/v1/attachments', { body: { files: ['x'] } });
    expect([json.status, json.body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  it('is uploaded once per Idempotency-Key', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const first = await post(png, 'a.png', service.key, headers);
    expect(await post(png, 'a.png', service.key, headers)).toEqual(first);
    expect((await post(Buffer.concat([png, png]), 'a.png', service.key, headers)).status).toBe(409);
  });

  it('is found only by those who may see its conversation', async () => {
    const [person, other] = [await makePerson(service), await makePerson(service)];
    const { id } = await upload(png, 'mug.png', person.token);
    expect((await download(id, person.token)).response.status).toBe(200);
    expect((await download(id, other.token)).response.status).toBe(404);
    const said = await sayAs(service, person, { bot_id: botId, message: 'Here', attachments: [id] });
    expect((await download(id, person.token)).bytes.equals(png)).toBe(true);
    expect((await download(id, other.token)).response.status).toBe(404);
    const own = await service.call(`GET /api/v1/conversations/${said.conversationId}`, { key: person.token });
    expect(own.body.messages[0].attachments).toMatchObject([{ id, name: 'mug.png' }]);
  });

  it('waits a day for its message, and only so many do', async () => {
    const person = await makePerson(service);
    const ids: string[] = [];
    for (let count = 0; count < 20; count += 1) ids.push((await upload(png, 'a.png', person.token)).id);
    const tooMany = await post(png, 'a.png', person.token);
    expect([tooMany.status, tooMany.body.code]).toEqual([429, 'RATE_LIMITED']);
    const [old = '', recent = ''] = ids;
    await service.database.acrossWorkspaces.execute(
      sql`update attachments set created_at = now() - interval '25 hours' where id = ${old}`,
    );
    const { database } = service;
    const given = { database, clock: { now: () => new Date() } };
    await createAttachments(given as Parameters<typeof createAttachments>[0]).sweep();
    expect([await stored(old), await stored(recent)]).toEqual([0, 1]);
    expect((await post(png, 'a.png', person.token)).status).toBe(201);
  });
});

describe('files end', () => {
  it('with their conversation, and with the messages that are removed from it', async () => {
    const [kept, removed] = [await upload(), await upload()];
    const user = { bot_id: botId, external_user_id: randomUUID() };
    const one = await chat.say({ ...user, message: 'one', attachments: [kept.id] });
    await chat.say({ ...user, message: 'two', attachments: [removed.id] });
    const path = `/api/v1/conversations/${one.conversationId}`;
    const truncated = await service.call(`POST ${path}/truncate`, { body: { message_id: one.messageId } });
    expect(truncated.status).toBe(200);
    expect([await stored(kept.id), await stored(removed.id)]).toEqual([1, 0]);
    expect((await service.call(`DELETE ${path}`)).status).toBe(200);
    expect(await stored(kept.id)).toBe(0);
  });

  it('with the person who uploaded them, sent or not', async () => {
    const person = await makePerson(service);
    const [sent, unsent] = [
      await upload(png, 'a.png', person.token),
      await upload(png, 'b.png', person.token),
    ];
    await sayAs(service, person, { bot_id: botId, message: 'Here', attachments: [sent.id] });
    const erased = await service.call(`DELETE /api/v1/end-users/${person.userId}`);
    expect(erased.status).toBe(200);
    expect([await stored(sent.id), await stored(unsent.id)]).toEqual([0, 0]);
  });
});

it('a turn continues without an image that the bucket does not give', async () => {
  const bucket = await startBucketServer();
  const other = await startTestApp({
    environment: { ...scriptedEnvironment(scripted), ...bucket.environment },
  });
  try {
    const there = chatWith(() => other);
    const user = { bot_id: await there.bot(), external_user_id: randomUUID() };
    const body = new FormData();
    body.append('files', new Blob([new Uint8Array(png)]), 'mug.png');
    const { id } = (await other.call('POST /api/v1/attachments', { body })).body;
    await there.say({ ...user, message: 'Look', attachments: [id] });
    expect(lastAsked().images).toHaveLength(1);
    bucket.goDown();
    const said = await there.say({ ...user, message: 'And?' });
    expect(said.last.event).toBe('turn.completed');
    expect(JSON.stringify(scripted.requests.at(-1)?.body)).toContain('which is not shown to you');
  } finally {
    await other.stop();
    await bucket.remove();
  }
});
