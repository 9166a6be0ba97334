import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTrustedLane } from '../../../src/egress/trusted-lane.ts';
import { createVoiceCatalog } from '../../../src/voice/catalog/voice-catalog.ts';
import { createVoiceSamples, samplesPerMinute } from '../../../src/voice/catalog/voice-samples.ts';
import { openSpeech } from '../../../src/voice/speech/open-speech.ts';
import { startTestApp, type TestApp } from '../../support/test-app.ts';
import { type FakeCartesia, startFakeCartesia } from '../../support/voice/fake-cartesia.ts';
import { type FakeElevenLabs, startFakeElevenLabs } from '../../support/voice/fake-elevenlabs.ts';
import { voicesNamed } from './support.ts';

let elevenLabs: FakeElevenLabs;
let cartesia: FakeCartesia;
let service: TestApp;

beforeAll(async () => {
  elevenLabs = await startFakeElevenLabs({ voices: voicesNamed(20) });
  cartesia = await startFakeCartesia({ voices: voicesNamed(2) });
  service = await startTestApp({
    environment: {
      ELEVENLABS_API_KEY: 'key',
      ELEVENLABS_BASE_URL: elevenLabs.url,
      CARTESIA_API_KEY: 'key',
      CARTESIA_BASE_URL: cartesia.url,
    },
  });
});
afterAll(async () => {
  await service.stop();
  await elevenLabs.close();
  await cartesia.close();
});

it('has the voices of every provider with a key', async () => {
  const { status, body } = await service.call('GET /api/v1/voice/catalog');
  expect(status).toBe(200);
  const ofClouds = body.voices.filter(({ id }: { id: string }) => !id.startsWith('local/'));
  expect(ofClouds).toHaveLength(22);
  expect(ofClouds[0]).toEqual({
    id: 'elevenlabs/voice-0',
    name: 'Voice 0',
    language: 'en',
    gender: 'female',
  });
  expect(ofClouds[21].id).toBe('cartesia/voice-1');
});

it('lets a voice be heard, which is spoken only once', async () => {
  const sample = (voice: string) =>
    fetch(`${service.url}/api/v1/voice/catalog/sample?voice=${voice}`, {
      headers: { authorization: `Bearer ${service.key}` },
    });
  const spokenBefore = elevenLabs.spoken.length;
  const answers = await Promise.all([sample('elevenlabs/voice-0'), sample('elevenlabs/voice-0')]);
  const [first, second] = await Promise.all(
    answers.map(async (answer) => Buffer.from(await answer.arrayBuffer())),
  );
  expect(answers[0]?.headers.get('content-type')).toBe('audio/wav');
  expect(first?.subarray(0, 4).toString()).toBe('RIFF');
  expect(first?.length).toBeGreaterThan(10_000);
  expect(first?.equals(second ?? Buffer.alloc(0))).toBe(true);
  expect(elevenLabs.spoken).toHaveLength(spokenBefore + 1);
  expect((await sample('elevenlabs/unknown')).status).toBe(404);

  elevenLabs.faults.status = 401;
  const refused = await sample('elevenlabs/voice-1');
  expect(refused.status).toBe(502);
  expect(await refused.json()).toMatchObject({
    message: 'ElevenLabs refused the key: check ELEVENLABS_API_KEY.',
  });
  delete elevenLabs.faults.status;
});

it('speaks ten new samples a minute for a workspace', async () => {
  const lane = createTrustedLane();
  let now = 0;
  const clock = { now: () => new Date(now) };
  const { speakers } = openSpeech({
    providers: { elevenlabs: { apiKey: 'key', baseUrl: elevenLabs.url } },
    lane,
  });
  const catalog = createVoiceCatalog({ speakers, clock, log: { warn: () => undefined } as never });
  const samples = createVoiceSamples({ speakers, catalog, clock });
  const get = (voice: number, workspaceId = 'one') => samples.get(workspaceId, `elevenlabs/voice-${voice}`);
  for (let voice = 0; voice < samplesPerMinute; voice += 1) await get(voice);
  now = 59_999;
  await expect(get(10)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  expect((await get(0)).length).toBeGreaterThan(10_000);
  expect((await get(11, 'two')).length).toBeGreaterThan(10_000);
  now = 60_000;
  expect((await get(10)).length).toBeGreaterThan(10_000);
  await lane.close();
});

it('keeps the last list of a provider that fails, and asks it again after a while', async () => {
  const lane = createTrustedLane();
  let now = 0;
  const warnings: unknown[] = [];
  const { speakers } = openSpeech({
    providers: {
      elevenlabs: { apiKey: 'key', baseUrl: elevenLabs.url },
      cartesia: { apiKey: 'key', baseUrl: cartesia.url },
    },
    lane,
  });
  const catalog = createVoiceCatalog({
    speakers,
    clock: { now: () => new Date(now) },
    log: { warn: (entry: unknown) => warnings.push(entry) } as never,
  });
  const asked = () => cartesia.received.filter(({ url }) => url.pathname === '/voices').length;
  const count = async () => (await catalog.list()).length;

  cartesia.faults.status = 500;
  cartesia.received.length = 0;
  expect(await Promise.all([count(), count()])).toEqual([20, 20]);
  expect(await count()).toBe(20);
  expect(asked()).toBe(1);
  expect(warnings).toHaveLength(1);

  delete cartesia.faults.status;
  now += 31_000;
  expect(await count()).toBe(22);
  cartesia.faults.status = 500;
  now += 11 * 60_000;
  // The old list is returned while it is being fetched again.
  expect(await count()).toBe(22);
  await expect.poll(() => warnings.length).toBe(2);
  expect(await count()).toBe(22);
  expect(asked()).toBe(3);
  delete cartesia.faults.status;
  await lane.close();
});
