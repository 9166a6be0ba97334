import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createBotService } from '../../src/bots/bots.service.ts';
import { createTrustedLane } from '../../src/egress/trusted-lane.ts';
import { recordNothing } from '../../src/idempotency/idempotency.service.ts';
import { AppError } from '../../src/lib/app-error.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createVoiceCheck } from '../../src/voice/voice-check.ts';
import { createWorkspaceService } from '../../src/workspaces/workspaces.service.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import {
  answering,
  cuttingOff,
  type SpeechProvider,
  silent,
  startSpeechProvider,
} from './speech-provider.ts';

const elevenLabsKey = 'canary-elevenlabs-81f3';
const cartesiaKey = 'canary-cartesia-5c2e';
const plain = { name: 'Speaker', system_prompt: 'Speak.' };
const spoken = { ...plain, tts_provider: 'elevenlabs', tts_voice: 'rachel' };

let elevenLabs: SpeechProvider;
let cartesia: SpeechProvider;
let service: TestApp;

beforeAll(async () => {
  elevenLabs = await startSpeechProvider();
  cartesia = await startSpeechProvider();
  service = await startTestApp({
    environment: {
      ELEVENLABS_API_KEY: elevenLabsKey,
      ELEVENLABS_BASE_URL: elevenLabs.url,
      CARTESIA_API_KEY: cartesiaKey,
      CARTESIA_BASE_URL: cartesia.url,
    },
  });
});
afterAll(async () => {
  await service.stop();
  await elevenLabs.close();
  await cartesia.close();
});
beforeEach(() => {
  for (const provider of [elevenLabs, cartesia]) {
    provider.asked.length = 0;
    provider.behave(answering(200));
  }
});

const create = (body: object) => service.call('POST /api/v1/bots', { body });
const list = async () => (await service.call('GET /api/v1/bots')).body;

describe('the voice of a bot', () => {
  it('is requested from ElevenLabs with its own header', async () => {
    expect((await create(spoken)).status).toBe(201);
    expect(elevenLabs.asked).toMatchObject([
      { method: 'GET', path: '/v1/voices/rachel', headers: { 'xi-api-key': elevenLabsKey } },
    ]);
    expect(elevenLabs.asked[0]?.headers.authorization).toBeUndefined();
    expect(cartesia.asked).toEqual([]);
  });

  it('is requested from Cartesia with a bearer token and a version', async () => {
    expect((await create({ ...plain, tts_provider: 'cartesia', tts_voice: 'katie' })).status).toBe(201);
    expect(cartesia.asked).toMatchObject([
      {
        method: 'GET',
        path: '/voices/katie',
        headers: {
          authorization: `Bearer ${cartesiaKey}`,
          'cartesia-version': expect.stringMatching(/^\d{4}-/),
        },
      },
    ]);
    expect(elevenLabs.asked).toEqual([]);
  });

  it('may name its provider, which takes precedence over tts_provider', async () => {
    expect((await create({ ...spoken, tts_voice: 'cartesia/katie' })).status).toBe(201);
    expect(cartesia.asked.map(({ path }) => path)).toEqual(['/voices/katie']);
    expect(elevenLabs.asked).toEqual([]);
  });

  it.each(['../../v1/user', 'a/b?c#d', 'ä b'])('stays one segment of the path: %j', async (voice) => {
    await create({ ...spoken, tts_voice: voice });
    expect(elevenLabs.asked.map(({ path }) => path)).toEqual([`/v1/voices/${encodeURIComponent(voice)}`]);
  });

  it.each(['.', '..'])('is unknown without a request when it cannot be in a path: %j', async (voice) => {
    expect((await create({ ...spoken, tts_voice: voice })).status).toBe(502);
    expect(elevenLabs.asked).toEqual([]);
  });

  it('needs no request when there is no voice or no provider', async () => {
    for (const body of [plain, { ...plain, tts_provider: 'elevenlabs' }, { ...plain, tts_voice: 'rachel' }]) {
      expect((await create(body)).status).toBe(201);
    }
    expect([...elevenLabs.asked, ...cartesia.asked]).toEqual([]);
  });
});

describe('a voice that is not confirmed', () => {
  const failures = [
    ['404', answering(404, {}, JSON.stringify({ detail: `no such voice for ${elevenLabsKey}` }))],
    ['500', answering(500)],
    ['401', answering(401)],
    ['a cut connection', cuttingOff],
  ] as const;

  it.each(failures)('%s: no bot is created', async (_name, behaviour) => {
    const before = await list();
    elevenLabs.behave(behaviour);
    const answer = await create(spoken);
    expect(answer).toMatchObject({
      status: 502,
      body: { success: false, code: 'UPSTREAM_FAILED', details: [{ path: 'tts_voice' }] },
    });
    expect(elevenLabs.asked).toHaveLength(1);
    expect(await list()).toEqual(before);
    expectNoKeys(answer.body);
  });

  it.each(failures)('%s: a change leaves the bot as it was', async (_name, behaviour) => {
    const { id } = (await create(spoken)).body;
    const before = (await service.call(`GET /api/v1/bots/${id}`)).body;
    elevenLabs.behave(behaviour);
    const answer = await service.call(`PUT /api/v1/bots/${id}`, {
      body: { name: 'Another', tts_voice: 'adam', metadata: { changed: 'yes' } },
    });
    expect(answer).toMatchObject({ status: 502, body: { code: 'UPSTREAM_FAILED' } });
    expect((await service.call(`GET /api/v1/bots/${id}`)).body).toEqual(before);
    expectNoKeys(answer.body);
  });

  it('is not looked up along a redirect, which would send the key', async () => {
    elevenLabs.behave(answering(302, { location: `${cartesia.url}/v1/voices/rachel` }));
    expect((await create(spoken)).status).toBe(502);
    expect(cartesia.asked).toEqual([]);
  });

  it('leaves its Idempotency-Key free for the next attempt', async () => {
    const headers = { 'idempotency-key': 'voice-1' };
    elevenLabs.behave(answering(500));
    expect((await service.call('POST /api/v1/bots', { body: spoken, headers })).status).toBe(502);
    elevenLabs.behave(answering(200));
    expect((await service.call('POST /api/v1/bots', { body: spoken, headers })).status).toBe(201);
  });

  it('is abandoned when the provider is silent, and nothing is stored', async () => {
    const lane = createTrustedLane();
    const { database, config } = service;
    const { id } = await service.makeWorkspace();
    const bots = createBotService({
      database,
      workspaces: createWorkspaceService({ database }),
      models: { faultOf: () => undefined },
      voices: createVoiceCheck({ providers: config.providers, lane, timeoutMilliseconds: 100 }),
      webhooks: { refusalOf: () => undefined },
      requireMachines: async () => undefined,
      planDefaultTools: async () => ({ tools: [], assignTo: async () => undefined }),
      clock: systemClock,
    });
    elevenLabs.behave(silent);
    const attempt = bots.create(
      id,
      { keyId: randomUUID(), abilities: new Set(), confirm: async () => undefined },
      { ...plain, tts_provider: 'elevenlabs', tts_voice: 'rachel' },
      recordNothing,
    );
    await expect(attempt).rejects.toThrow(AppError);
    await expect(attempt).rejects.toMatchObject({ code: 'UPSTREAM_FAILED' });
    expect(elevenLabs.asked).toHaveLength(1);
    expect(await bots.list(id, {}).next()).toMatchObject({ done: true });
    await lane.close();
  });
});

it('a voice is not checked without a key', async () => {
  const keyless = await startTestApp({
    environment: { ELEVENLABS_BASE_URL: elevenLabs.url, CARTESIA_BASE_URL: cartesia.url },
  });
  try {
    for (const voice of ['rachel', 'cartesia/katie']) {
      const answer = await keyless.call('POST /api/v1/bots', { body: { ...spoken, tts_voice: voice } });
      expect(answer.status).toBe(201);
    }
    expect([...elevenLabs.asked, ...cartesia.asked]).toEqual([]);
  } finally {
    await keyless.stop();
  }
});

function expectNoKeys(answer: unknown): void {
  const visible = JSON.stringify(answer) + service.logged.join('');
  expect(service.logged.join('')).toContain('UPSTREAM_FAILED');
  for (const key of [elevenLabsKey, cartesiaKey]) expect(visible).not.toContain(key);
}
