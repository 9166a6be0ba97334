import { randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { assignNumber } from '../support/assign-number.ts';
import { createCall, startTestApp, type TestApp } from '../support/test-app.ts';
import { answering, type SpeechProvider, startSpeechProvider } from './speech-provider.ts';

let speech: SpeechProvider;
let service: TestApp;
let botId: string;
beforeAll(async () => {
  speech = await startSpeechProvider();
  service = await startTestApp({
    environment: { ELEVENLABS_API_KEY: 'canary-elevenlabs', ELEVENLABS_BASE_URL: speech.url },
  });
});
afterAll(async () => {
  await service.stop();
  await speech.close();
});
beforeEach(async () => {
  speech.behave(answering(200));
  speech.asked.length = 0;
  botId = await makeBot();
});

const path = '/api/v1/voice/numbers';
/** Assigned to the workspace of `botId`. */
async function newPhone(): Promise<string> {
  const phone = `+${randomInt(1e11, 1e12)}`;
  await assignNumber(service, phone, botId);
  return phone;
}

async function makeBot(fields: object = {}): Promise<string> {
  const body = { name: 'Support', system_prompt: 'x', ...fields };
  return (await service.call('POST /api/v1/bots', { body })).body.id;
}

const create = (body: object, headers: Record<string, string> = {}) =>
  service.call(`POST ${path}`, { body, headers });

async function makeNumber(body: object = {}): Promise<string> {
  const answer = await create({ phone_number: await newPhone(), bot_id: botId, ...body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.id;
}

const read = async (id: string) => (await service.call(`GET ${path}/${id}`)).body;
const put = (id: string, body: object) => service.call(`PUT ${path}/${id}`, { body });

describe('a phone number', () => {
  it('is created, listed by metadata, read, changed and removed', async () => {
    const phone = await newPhone();
    const metadata = { branch: randomUUID() };
    const id = await makeNumber({ phone_number: phone, greeting: 'Hello.', metadata });
    const wanted = {
      id,
      phone_number: phone,
      bot_id: botId,
      bot_name: 'Support',
      tenant_id: expect.any(String),
      greeting: 'Hello.',
      tts_voice: null,
      metadata,
      is_outbound_primary: false,
      outbound_capable: false,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    };
    const number = await read(id);
    expect(number).toEqual(wanted);
    expect((await service.call(`GET ${path}?metadata.branch=${metadata.branch}`)).body).toEqual([number]);
    expect((await service.call(`GET ${path}?metadata.branch=x`)).body).toEqual([]);

    const other = await makeBot({ name: 'Sales' });
    expect(await put(id, { ...number, bot_id: other, greeting: null })).toMatchObject({
      status: 200,
      body: { message: expect.any(String) },
    });
    expect(await read(id)).toMatchObject({ bot_id: other, bot_name: 'Sales', greeting: null, metadata });
    expect((await put(id, { metadata: {} })).status).toBe(200);
    expect(await read(id)).toMatchObject({ bot_id: other, metadata: {} });
    expect((await service.call(`PATCH ${path}/${id}/metadata`, { body: { a: 'b' } })).status).toBe(200);
    expect(await read(id)).toMatchObject({ metadata: { a: 'b' } });

    expect((await service.call(`DELETE ${path}/${id}`)).status).toBe(200);
    expect((await service.call(`DELETE ${path}/${id}`)).status).toBe(404);
    expect((await service.call(`GET ${path}/${id}`)).status).toBe(404);
    expect((await create({ phone_number: phone, bot_id: botId })).status).toBe(201);
  });

  it('must look like one, and names its faults', async () => {
    for (const phone of ['', '+', '1', '+1 555 0100', '1-555-0100', 'tel:+15550100', '٠١٢٣', '+'.repeat(3)]) {
      const answer = await create({ phone_number: phone, bot_id: botId });
      expect
        .soft(answer, phone)
        .toMatchObject({ status: 400, body: { details: [{ path: 'phone_number' }] } });
    }
    const wrong = await create({ phone_number: '555 0100', bot_id: botId });
    expect(wrong.body.message).toContain('2 to 20 digits');
    expect((await create({ bot_id: botId })).status).toBe(400);
    expect((await create({ phone_number: await newPhone() })).status).toBe(400);
    const metadata = await create({ phone_number: await newPhone(), bot_id: botId, metadata: { a: 1 } });
    expect(metadata).toMatchObject({ status: 422, body: { code: 'METADATA_INVALID' } });
  });

  it('exists once, across workspaces and with or without a plus, even in a race', async () => {
    const phone = await newPhone();
    const forms = [phone, phone.slice(1), phone, phone.slice(1)];
    const answers = await Promise.all(forms.map((form) => create({ phone_number: form, bot_id: botId })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe('NUMBER_EXISTS');

    const other = createCall(service.url, (await service.makeWorkspace()).key);
    const theirs = (await other('POST /api/v1/bots', { body: { name: 'x', system_prompt: 'x' } })).body.id;
    const claim = async (phoneNumber: string) => {
      const { status, body } = await other(`POST ${path}`, {
        body: { phone_number: phoneNumber, bot_id: theirs },
      });
      return { status, body: { ...body, request_id: undefined } };
    };
    const taken = await claim(phone);
    expect(taken).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', details: [{ path: 'phone_number' }] },
    });
    // A number that is used elsewhere cannot be told from one that is not assigned, or that is assigned and unused.
    const unused = await newPhone();
    const nobodys = `+${randomInt(1e11, 1e12)}`;
    expect(await Promise.all([phone.slice(1), unused, nobodys].map(claim))).toEqual([taken, taken, taken]);
    await assignNumber(service, unused, theirs);
    expect(await claim(unused)).toMatchObject({ status: 201 });
    expect(await claim(unused)).toMatchObject({ status: 409, body: { code: 'NUMBER_EXISTS' } });
  });

  it('is created once with an Idempotency-Key', async () => {
    const body = { phone_number: await newPhone(), bot_id: botId };
    const headers = { 'idempotency-key': randomUUID() };
    const [first, again] = [await create(body, headers), await create(body, headers)];
    expect(again).toMatchObject({ status: 201, body: first.body });
  });

  it("cannot be given to another workspace's bot, and is not theirs to see", async () => {
    const { key } = await service.makeWorkspace();
    const other = createCall(service.url, key);
    const theirs = (await other('POST /api/v1/bots', { body: { name: 'x', system_prompt: 'x' } })).body.id;
    for (const bot of [theirs, randomUUID()]) {
      expect((await create({ phone_number: await newPhone(), bot_id: bot })).status).toBe(404);
      const id = await makeNumber();
      expect((await put(id, { bot_id: bot })).status).toBe(404);
      expect(await read(id)).toMatchObject({ bot_id: botId });
    }
    await makeNumber();
    expect((await other(`GET ${path}`)).body).toEqual([]);
  });

  it('is a change that the audit log shows', async () => {
    const id = await makeNumber();
    await put(id, { greeting: 'Good day.' });
    await put(id, { greeting: 'Good day.' });
    await service.call(`DELETE ${path}/${id}`);
    const entries = (await service.call(`GET /api/v1/audit?object=${id}`)).body;
    expect(entries.map((entry: { action: string }) => entry.action)).toEqual([
      'number.deleted',
      'number.updated',
      'number.created',
    ]);
    expect(entries[1].changes).toEqual([{ field: 'greeting', before: null, after: 'Good day.' }]);
  });
});

describe("a number's own voice", () => {
  it("is checked with its provider, as the bot's is, when it or the bot changes", async () => {
    const speaking = await makeBot({ tts_provider: 'elevenlabs', tts_voice: 'rachel' });
    speech.asked.length = 0;
    const id = await makeNumber({ bot_id: speaking, tts_voice: 'dorothy' });
    expect(speech.asked.map((one) => one.path)).toEqual(['/v1/voices/dorothy']);
    await put(id, { tts_voice: 'dorothy', bot_id: speaking, greeting: 'Hello.' });
    expect(speech.asked).toHaveLength(1);

    speech.behave(answering(404));
    expect(await put(id, { tts_voice: 'nobody' })).toMatchObject({
      status: 502,
      body: { code: 'UPSTREAM_FAILED', details: [{ path: 'tts_voice' }] },
    });
    expect(await read(id)).toMatchObject({ tts_voice: 'dorothy' });
    expect(
      (await create({ phone_number: await newPhone(), bot_id: speaking, tts_voice: 'nobody' })).status,
    ).toBe(502);
    expect((await put(id, { tts_voice: null })).status).toBe(200);
    expect(await read(id)).toMatchObject({ tts_voice: null });
  });
});

describe('without a transport', () => {
  it('no number can be called from', async () => {
    const id = await makeNumber({ outbound_capable: true });
    // Kept for the day when there is one.
    expect(await read(id)).toMatchObject({ outbound_capable: true, is_outbound_primary: false });
    expect(await put(id, { is_outbound_primary: true })).toMatchObject({
      status: 422,
      body: { code: 'NOT_OUTBOUND_CAPABLE' },
    });
    expect((await put(id, { is_outbound_primary: false })).status).toBe(200);
  });

  it('an unknown number is 404 before it is checked', async () => {
    const { rows } = await service.database.acrossWorkspaces.execute(
      sql`select count(*)::int as count from voice_numbers where is_outbound_primary`,
    );
    expect(rows).toEqual([{ count: 0 }]);
    expect((await put(randomUUID(), { is_outbound_primary: true })).status).toBe(404);
  });
});
