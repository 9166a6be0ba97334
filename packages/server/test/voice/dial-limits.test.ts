import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { createKeyRing } from '../../src/secrets/key-ring.ts';
import { createWorkspaceService } from '../../src/workspaces/workspaces.service.ts';
import { createCall } from '../support/test-app.ts';
import { startNode, type TestNode } from '../support/test-node.ts';
import { startVoiceService, until, type VoiceService } from '../support/voice/voice-service.ts';

let voice: VoiceService;
/** A second node on the same database. */
let other: TestNode;
let workspaceId: string;
let key: string;
let botId: string;

const prices = {
  telephone: { twilio: { inbound: 0.01, outbound: 0.02, prefixes: { '+4930': 0.5, '+49307': 1 } } },
};

beforeAll(async () => {
  const environment = { SVC_VOICE_PRICES: JSON.stringify(prices), SVC_VOICE_CALLS_PER_HOUR: '4' };
  voice = await startVoiceService(environment);
  const { database, encryptionKey } = voice.service;
  const speech = {
    DEEPGRAM_API_KEY: 'key',
    DEEPGRAM_BASE_URL: voice.deepgram.url,
    ELEVENLABS_API_KEY: 'key',
    ELEVENLABS_BASE_URL: voice.elevenLabs.url,
  };
  other = await startNode({
    database,
    keyRing: createKeyRing(encryptionKey),
    environment: {
      ...voice.twilio.environment,
      ...speech,
      ...environment,
      SVC_PUBLIC_URL: voice.service.url,
    },
  });
});
afterAll(async () => {
  await other.stop();
  await voice.stop();
});
beforeEach(async () => {
  ({ id: workspaceId, key } = await voice.service.makeWorkspace());
  ({ botId } = await voice.makeBot({}, key));
});

const change = (...args: [object, object?]) =>
  createWorkspaceService(voice.service).changePlan(workspaceId, ...args);
const place = (to_number: string, by: { url: string } = voice.service) =>
  createCall(by.url, key)('POST /api/v1/calls', { body: { bot_id: botId, to_number } });

/** How many calls Twilio was asked for. */
const dialed = (to: string) => voice.twilio.calls.filter(({ form }) => form['To'] === to).length;

async function hangUpAll(): Promise<void> {
  for (const call of voice.twilio.calls)
    if (!['completed', 'no-answer'].includes(call.status)) await call.report('no-answer');
}

describe('a call', () => {
  it('goes to the own country only, unless an operator allows more', async () => {
    const refused: [string, string][] = [
      ['+436641234567', 'Austria'],
      ['+499001123456', 'premium'],
      ['+881612345678', 'satellite'],
      ['112', 'emergency'],
      ['+49110', 'emergency'],
    ];
    for (const [to, why] of refused) {
      const answer = await place(to);
      expect(answer, to).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION_FAILED', details: [{ path: 'to_number' }] },
      });
      expect(answer.body.message).toContain(why);
      expect(dialed(to)).toBe(0);
    }
    expect((await createCall(voice.service.url, key)('GET /api/v1/conversations')).body).toEqual([]);
    await change({ destinations: ['AT', 'premium'] });
    expect((await place('+436641234567')).status).toBe(200);
    expect((await place('+499001123456')).status).toBe(200);
    expect((await place('+881612345678')).status).toBe(400);
    // What is dialed is what was checked.
    expect((await place('436641234568')).status).toBe(200);
    expect([dialed('+436641234568'), dialed('436641234568')]).toEqual([1, 0]);
    await change({ destinations: null });
    expect((await place('+436641234567')).status).toBe(400);
    await hangUpAll();
  });

  it('is one of so many in an hour, however many nodes are asked at once', async () => {
    await change({}, { calls: null });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => place('+4930600', index % 2 ? other : voice.service)),
    );
    const [done, refused] = [200, 429].map((wanted) => answers.filter(({ status }) => status === wanted));
    expect([done?.length, refused?.length]).toEqual([4, 6]);
    expect(dialed('+4930600')).toBe(4);
    expect(refused?.[0]?.body).toMatchObject({
      code: 'RATE_LIMITED',
      message: expect.stringContaining('--max-calls-per-hour'),
      details: [{ limit: 'calls_per_hour', value: 4 }],
    });
    const seconds = Number(refused?.[0]?.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(3_000);
    expect(seconds).toBeLessThanOrEqual(3_600);

    // Deleting the conversations does not make room, and other workspaces have their own.
    await hangUpAll();
    const { database } = voice.service;
    await database.acrossWorkspaces.execute(
      sql`delete from conversations where workspace_id = ${workspaceId}`,
    );
    expect((await place('+4930601')).status).toBe(429);
    await change({}, { calls_per_hour: 5 });
    expect((await place('+4930601')).status).toBe(200);
    expect((await place('+4930601', other)).status).toBe(429);
    await change({}, { calls_per_hour: 'unlimited', calls_per_day: 6 });
    await database.acrossWorkspaces.execute(
      sql`update voice_dials set dialed_at = now() - interval '2 hours' where workspace_id = ${workspaceId}`,
    );
    expect((await place('+4930601')).status).toBe(200);
    const daily = await place('+4930601');
    expect(daily).toMatchObject({ status: 429, body: { details: [{ limit: 'calls_per_day', value: 6 }] } });
    expect(Number(daily.headers.get('retry-after'))).toBeGreaterThan(20 * 3_600);
    await database.acrossWorkspaces.execute(
      sql`update voice_dials set dialed_at = now() - interval '2 days' where workspace_id = ${workspaceId}`,
    );
    expect((await place('+4930601')).status).toBe(200);
    await hangUpAll();
  });

  it('costs what its destination costs: when it is set aside, and in the end', async () => {
    await change({ addCreditUsd: '0.9' });
    const dear = await place('+4930700');
    expect((await readCall(dear.body.data.call_id)).end_reason).toBe('insufficient_balance');
    const next = voice.twilio.nextCall();
    const { call_id: callId } = (await place('+4930800')).body.data;
    const call = await next;
    await call.answer();
    await until(async () => (await readCall(callId)).status).toBe('in_progress');
    await call.hangUp();
    await until(async () => (await readCall(callId)).ended_at).not.toBeNull();
    const usage = (await createCall(voice.service.url, key)('GET /api/v1/usage?by=model')).body.rows;
    expect(usage).toContainEqual(expect.objectContaining({ model: 'twilio/telephone', cost_usd: '0.5' }));
  });
});

async function readCall(callId: string) {
  return (await createCall(voice.service.url, key)(`GET /api/v1/conversations/${callId}`)).body.call;
}
