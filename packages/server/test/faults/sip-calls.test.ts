import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PlannedModel, startPlannedModel } from '../support/faults/model.ts';
import { createFleet, key, makeBot } from '../support/faults/service.ts';
import { until } from '../support/faults/until.ts';
import { patienceMs } from '../support/patience.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { type Baresip, startBaresip } from '../support/voice/baresip.ts';
import { type FakeDeepgram, startFakeDeepgram } from '../support/voice/fake-deepgram.ts';
import { type FakeElevenLabs, startFakeElevenLabs } from '../support/voice/fake-elevenlabs.ts';
import { tone, writeToneFile } from '../support/voice/tones.ts';
import { freeUdpPorts } from '../support/voice/udp-port.ts';

const fleet = createFleet();
const number = '+4930100';
const sentence = 'We are glad that you call and would like to tell you a lot.';
const greeting = Array.from({ length: 15 }, () => sentence).join(' ');
let database: TestDatabase;
let folder: string;
let phone: Baresip;
let model: PlannedModel;
let deepgram: FakeDeepgram;
let elevenLabs: FakeElevenLabs;
let environment: Record<string, string>;
let service: ServiceProcess;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'svc-sip-fault-'));
  const wav = join(folder, 'silence.wav');
  await writeToneFile(wav, tone(440, patienceMs, 0));
  phone = await startBaresip({ folder: join(folder, 'phone'), plays: wav });
  model = await startPlannedModel();
  [deepgram, elevenLabs] = await Promise.all([
    startFakeDeepgram(),
    startFakeElevenLabs({ msPerCharacter: 40 }),
  ]);
  const rtp = await freeUdpPorts(20);
  environment = {
    ...database.environment,
    OPENAI_BASE_URL: model.url,
    DEEPGRAM_API_KEY: 'key',
    DEEPGRAM_BASE_URL: deepgram.url,
    ELEVENLABS_API_KEY: 'key',
    ELEVENLABS_BASE_URL: elevenLabs.url,
    SVC_VOICE_TRANSPORT: 'sip',
    SIP_TRUNK_URI: `sip:127.0.0.1:${phone.port}`,
    SIP_LISTEN: `127.0.0.1:${await freeUdpPorts(1)}`,
    RTP_PORT_MIN: String(rtp),
    RTP_PORT_MAX: String(rtp + 19),
  };
  service = await fleet.start(environment);
});
afterAll(async () => {
  await fleet.end();
  await Promise.all([phone.stop(), model.close(), deepgram.close(), elevenLabs.close()]);
  await rm(folder, { recursive: true });
  await database.drop();
});

/** What was noted of what is being said. */
async function noted(): Promise<{ heard: string }[]> {
  const { rows } = await database.database.acrossWorkspaces.raw('select playing from voice_calls');
  return (rows as { playing: { heard: string }[] | null }[])[0]?.playing ?? [];
}

it('hangs up a call whose process was killed, and keeps only what was heard', async () => {
  const botId = await makeBot(service);
  const call = service.call(key);
  const body = { voice_greeting: greeting, tts_provider: 'elevenlabs' };
  expect((await call(`PUT /api/v1/bots/${botId}`, { body })).status).toBe(200);
  await call('POST /api/v1/voice/numbers', { body: { phone_number: number, bot_id: botId } });
  await phone.dial(`sip:${number}@${environment['SIP_LISTEN']}`);
  const list = async () => (await call('GET /api/v1/conversations?channel=voice')).body;
  await until('it talks', async () => (await list())[0]?.status === 'in_progress', {
    detail: service.output,
  });
  const [{ id }] = await list();
  const read = async () => (await service.call(key)(`GET /api/v1/conversations/${id}`)).body;
  await until('it greets', async () => (await read()).messages[0]?.content === greeting, {
    detail: service.output,
  });
  await until('something is noted as heard', async () => (await noted()).some(({ heard }) => heard !== ''));
  await service.end('SIGKILL');
  expect(phone.output).not.toMatch(/Call with .* terminated/);
  service = await fleet.start(environment);
  await phone.printed(/terminated/);
  await until('the call is over', async () => (await read()).call.ended_at !== null, {
    detail: service.output,
  });
  const { messages, call: ended } = await read();
  expect(ended).toMatchObject({ end_reason: 'node_lost' });
  expect(greeting.startsWith(messages[0].content)).toBe(true);
  expect(messages[0].content).not.toBe('');
  expect(messages[0].content.length).toBeLessThan(greeting.length / 2);
});
