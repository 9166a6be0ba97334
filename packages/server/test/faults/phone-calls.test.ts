import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PlannedModel, startPlannedModel } from '../support/faults/model.ts';
import { createFleet, key, makeBot } from '../support/faults/service.ts';
import { until } from '../support/faults/until.ts';
import { freePort } from '../support/free-port.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import type { Call } from '../support/test-app.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { type FakeDeepgram, startFakeDeepgram } from '../support/voice/fake-deepgram.ts';
import { type FakeElevenLabs, startFakeElevenLabs } from '../support/voice/fake-elevenlabs.ts';
import { type FakeTwilio, startFakeTwilio } from '../support/voice/fake-twilio.ts';

const fleet = createFleet();
const number = '+4930100';
let database: TestDatabase;
let port: number;
let model: PlannedModel;
let twilio: FakeTwilio;
let deepgram: FakeDeepgram;
let elevenLabs: FakeElevenLabs;
let service: ServiceProcess;
let call: Call;

beforeAll(async () => {
  port = await freePort();
  database = await createTestDatabase();
  model = await startPlannedModel();
  [twilio, deepgram, elevenLabs] = await Promise.all([
    startFakeTwilio(),
    startFakeDeepgram(),
    startFakeElevenLabs({ msPerCharacter: 40 }),
  ]);
  await start();
  const botId = await makeBot(service);
  const body = { voice_greeting: 'Hello.', tts_provider: 'elevenlabs' };
  expect((await call(`PUT /api/v1/bots/${botId}`, { body })).status).toBe(200);
  twilio.numbers.push({ phone_number: number, capabilities: { voice: true } });
  const made = await call('POST /api/v1/voice/numbers', { body: { phone_number: number, bot_id: botId } });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const tool = { tool_type: 'calculator', name: 'Sum', description: 'x', configuration: {} };
  const { body: created } = await call('POST /api/v1/tools', { body: tool });
  const hook = { tool_configuration_id: created.id, params_template: { expression: '1 + 1' } };
  expect((await call(`POST /api/v1/bots/${botId}/post-call-hooks`, { body: hook })).status).toBe(201);
});
afterAll(async () => {
  await fleet.end();
  await Promise.all([model.close(), twilio.stop(), deepgram.close(), elevenLabs.close()]);
  await database.drop();
});

async function start(): Promise<void> {
  service = await fleet.start({
    ...database.environment,
    PORT: String(port),
    OPENAI_BASE_URL: model.url,
    ...twilio.environment,
    SVC_PUBLIC_URL: `http://127.0.0.1:${port}`,
    DEEPGRAM_API_KEY: 'key',
    DEEPGRAM_BASE_URL: deepgram.url,
    ELEVENLABS_API_KEY: 'key',
    ELEVENLABS_BASE_URL: elevenLabs.url,
    SVC_PLAN_BALANCE_USD: '10',
    SVC_MODEL_PRICES: '{"openai/scripted":{"input":1,"output":1}}',
  });
  await until('it names the transport', () => /^ +Voice +Twilio$/m.test(service.output()));
  call = service.call(key);
}

const read = async (callId: string) => (await call(`GET /api/v1/conversations/${callId}`)).body;

/** A caller is greeted and presses a key, which the model never answers. */
async function callAndPress(digit: string): Promise<string> {
  model.plan(digit, [{ type: 'hang' }]);
  const phone = await (await twilio.callIn(service.url, { from: '+4930555', to: number })).answer();
  const { body } = await call('GET /api/v1/conversations?channel=voice&limit=1');
  const callId = body[0].id as string;
  await until('the caller is greeted', async () => (await read(callId)).messages.length === 1, {
    detail: service.output,
  });
  phone.press(digit);
  phone.press('#');
  await until('the model is asked', () => model.calls(digit) === 1, { detail: service.output });
  return callId;
}

async function reserved(): Promise<number | undefined> {
  const { rows } = await database.database.acrossWorkspaces.raw(
    'select reserved_usd::float8 as usd from billing_accounts',
  );
  return (rows as { usd: number }[])[0]?.usd;
}

it.each([
  ['SIGKILL', '1', 'node_lost'],
  ['SIGTERM', '2', 'service_stopped'],
] as const)(
  'a call that %s ends is over on its record, with its turn, money and hooks',
  async (signal, digit, reason) => {
    const callId = await callAndPress(digit);
    expect(await read(callId)).toMatchObject({ status: 'in_progress', call: { ended_at: null } });
    expect(await reserved()).toBeGreaterThan(0);
    await service.end(signal);
    await start();
    const isSettled = async () => {
      const { hooks, ended_at } = (await read(callId)).call;
      return ended_at !== null && hooks.length === 1 && hooks[0].ended_at !== null;
    };
    await until('the call is over', isSettled, { detail: service.output });
    const ended = await read(callId);
    expect(ended).toMatchObject({ status: 'failed', call: { status: 'failed', end_reason: reason } });
    expect(ended.call.hooks).toMatchObject([{ tool_name: 'Sum', status: 'ok' }]);
    const events = async () =>
      (await call(`GET /api/v1/chat/events?conversation_id=${callId}`)).body as { event: string }[];
    const isOver = ({ event }: { event: string }) => /^turn\.(failed|interrupted)$/.test(event);
    await until('its turn is over', async () => (await events()).some(isOver), { detail: service.output });
    await until('no money is set aside', async () => (await reserved()) === 0);
    // Another answer would not be heard.
    expect(model.calls(digit)).toBe(1);
  },
);
