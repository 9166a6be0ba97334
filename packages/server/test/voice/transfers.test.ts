import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { createWorkspaceService } from '../../src/workspaces/workspaces.service.ts';
import { text, toolCall } from '../scripted-model/script.ts';
import { makeMember } from '../support/members.ts';
import { createCall } from '../support/test-app.ts';
import type { FakeCall } from '../support/voice/fake-twilio.ts';
import { freeUdpPorts } from '../support/voice/udp-port.ts';
import { startVoiceService, until, type VoiceService } from '../support/voice/voice-service.ts';
import { description, headerIn, openUdpPeer, request, toTagOf } from './sip/udp-peer.ts';

let voice: VoiceService;
let workspaceId: string;
let key: string;

/** Only the telephone costs something. */
const prices = {
  speaking: { elevenlabs: 0 },
  listening: { deepgram: 0 },
  telephone: { twilio: { inbound: 0.01, outbound: 9, prefixes: { '+4930': 0.5 } } },
};

beforeAll(async () => {
  voice = await startVoiceService({ SVC_VOICE_PRICES: JSON.stringify(prices) });
});
afterAll(() => voice.stop());
beforeEach(async () => {
  ({ id: workspaceId, key } = await voice.service.makeWorkspace());
  voice.replies.length = 0;
});

const run = (statement: ReturnType<typeof sql>) => voice.service.database.acrossWorkspaces.execute(statement);
const change = (...args: [object, object?]) =>
  createWorkspaceService(voice.service).changePlan(workspaceId, ...args);
const ask = (operation: string) => createCall(voice.service.url, key)(operation);
const read = async (callId: string) => (await ask(`GET /api/v1/conversations/${callId}`)).body.call;
const telephone = async () =>
  (await ask('GET /api/v1/usage?by=model')).body.rows.find(
    ({ model }: { model: string }) => model === 'twilio/telephone',
  )?.cost_usd;

/** A caller talks with a bot that they have called. */
async function callIn(settings: Record<string, unknown> = {}) {
  const { number } = await voice.makeBot(settings, key);
  const call = await voice.twilio.callIn(voice.service.url, { from: '+4930557', to: number });
  const phone = await call.answer();
  const [{ id: callId }] = (await ask('GET /api/v1/conversations')).body;
  return { call, callId, number, phone };
}

/** A person talks with a bot that has called them. */
async function callOut() {
  const { botId } = await voice.makeBot({}, key);
  const next = voice.twilio.nextCall();
  const body = { bot_id: botId, to_number: '+4930558' };
  const placed = await createCall(voice.service.url, key)('POST /api/v1/calls', { body });
  const call = await next;
  await call.answer();
  return { call, callId: placed.body.data.call_id };
}

/** A caller of a bot wants to talk to a person. */
async function callAndAsk(
  settings: object = {},
): Promise<{ call: FakeCall; callId: string; number: string }> {
  const transfer = { call_transfer_enabled: true, call_transfer_number: '+49 30 999' };
  // A call that was transferred may have left its second reply.
  voice.replies.splice(0, Infinity, [toolCall('transfer_call', {})], [text('That did not work.')]);
  const { call, callId, number, phone } = await callIn({ ...transfer, ...settings });
  await until(() => phone.heard.length).toBeGreaterThan(0);
  phone.press('0');
  phone.press('#');
  return { call, callId, number };
}

async function transferred(settings: object = {}) {
  const asked = await callAndAsk(settings);
  await until(() => asked.call.twiml).toContain('<Dial');
  await asked.call.dialAnswered();
  await until(() => voice.transferred(asked.callId)).toBe(true);
  return asked;
}

/** As if they had talked for so long, and no node had checked the call since. */
const passTime = (callId: string, seconds: number) =>
  run(sql`update voice_transfers set transferred_at = now() - make_interval(secs => ${seconds}),
    answered_at = now() - make_interval(secs => ${seconds}), checked_at = now() - interval '1 minute'
    where call_id = ${callId}`);

/** Without what models cost. */
async function charged(callId: string) {
  const { rows } = await run(sql`select cost_usd::float8 as cost from voice_calls where id = ${callId}`);
  return rows[0]?.['cost'];
}

const reserved = async () => {
  const { rows } = await run(
    sql`select reserved_usd::float8 as reserved from billing_accounts where workspace_id = ${workspaceId}`,
  );
  return rows[0]?.['reserved'];
};

/** The model was told so, and the caller is still there. */
async function expectRefused({ call, callId }: { call: FakeCall; callId: string }, why: string) {
  const told = () => voice.model.requests.some(({ body }) => JSON.stringify(body).includes(why));
  await until(told).toBe(true);
  await until(
    async () => (await ask(`GET /api/v1/conversations/${callId}`)).body.messages.at(-1)?.content,
  ).toBe('That did not work.');
  expect(call.twiml).not.toContain('<Dial');
  expect((await read(callId)).status).toBe('in_progress');
  await call.hangUp();
  await until(async () => (await read(callId)).ended_at).not.toBeNull();
}

describe('a transfer', () => {
  it('goes only where calls may go, and the call continues', async () => {
    await expectRefused(await callAndAsk({ call_transfer_number: '+436641234567' }), 'is in Austria');
    await expectRefused(await callAndAsk({ call_transfer_number: '+499001123456' }), 'premium-rate');
    await expectRefused(await callAndAsk({ call_transfer_number: '110' }), 'emergency numbers');
    await change({ destinations: ['AT'] });
    const { call, callId } = await transferred({ call_transfer_number: '+43 664 1234567' });
    expect(call.twiml).toContain('>+436641234567<');
    await call.dialEnded('completed');
    await until(async () => (await read(callId)).end_reason).toBe('transferred');
  });

  it('is one of the calls that a workspace may place in an hour', async () => {
    await change({}, { calls_per_hour: 1 });
    const { call, callId } = await transferred();
    await call.dialEnded('completed');
    await until(async () => (await read(callId)).end_reason).toBe('transferred');
    await expectRefused(await callAndAsk(), '--max-calls-per-hour');
  });

  it('is charged, held and counted until its last leg ends', async () => {
    await change({ addCreditUsd: '5' }, { calls: 1 });
    const { call, callId, number } = await transferred();
    // A minute that has begun, on both legs.
    await until(() => charged(callId)).toBeGreaterThanOrEqual(0.51);
    expect(await read(callId)).toMatchObject({ status: 'in_progress', end_reason: null });
    const second = await voice.twilio.callIn(voice.service.url, { from: '+4930558', to: number });
    expect(second.twiml).toContain('busy');
    // The third minute has begun, and the next one is not far.
    await passTime(callId, 150);
    await until(() => charged(callId)).toBeGreaterThanOrEqual(1.53);
    await until(reserved).toBeGreaterThan(0);
    await call.dialEnded('completed');
    await until(() => read(callId)).toMatchObject({ status: 'completed', end_reason: 'transferred' });
    expect(Number(await telephone())).toBe(await charged(callId));
    await until(reserved).toBe(0);
    expect(await voice.transferred(callId)).toBe(false);
    const third = await voice.twilio.callIn(voice.service.url, { from: '+4930558', to: number });
    expect(third.twiml).toContain('<Stream');
  });

  it('is not begun without the money for its first minute, and is ended when the money is used up', async () => {
    await change({ addCreditUsd: '0.3' });
    await expectRefused(await callAndAsk(), 'balance of the workspace is too low');
    await change({ addCreditUsd: '0.4' });
    const { call, callId } = await transferred();
    expect(call.status).toBe('in-progress');
    await passTime(callId, 50);
    await call.ended;
    await until(() => read(callId)).toMatchObject({
      status: 'ended_by_limit',
      end_reason: 'insufficient_balance',
    });
    await until(reserved).toBe(0);
  });

  it('ends without a report, whichever node had the line', async () => {
    const { call, callId } = await transferred();
    // The reports of Twilio are lost, and so is the node.
    await run(sql`update voice_calls set node_id = gen_random_uuid() where id = ${callId}`);
    delete call.form['StatusCallback'];
    await call.hangUp();
    await passTime(callId, 10);
    await until(async () => (await read(callId)).end_reason).toBe('transferred');
    expect(Number(await telephone())).toBeGreaterThanOrEqual(0.51);
  });

  it.each(['inbound', 'outbound'])(
    'of an %s call is hung up when the node that began it is gone',
    async (direction) => {
      const { call, callId } = await (direction === 'inbound' ? callIn() : callOut());
      const wasAsked = () =>
        voice.twilio.requests.filter(
          ({ path, form }) => path === `Calls/${call.sid}` && form['Status'] === 'completed',
        ).length;
      await until(async () => (await read(callId)).status).toBe('in_progress');
      await call.hangUp();
      await until(async () => (await read(callId)).ended_at).not.toBeNull();
      const before = wasAsked();
      voice.twilio.intercept = ({ path }) =>
        path === `Calls/${call.sid}` ? { status: 503, body: {} } : undefined;
      /** As a node leaves it that dies. Its line and the network both report the end, and the later report ends it again. */
      const leave = () =>
        run(sql`update voice_calls set status = 'in_progress', ended_at = null, end_reason = null,
          node_id = gen_random_uuid() where id = ${callId} and ended_at is not null`);
      await until(async () => {
        const asked = wasAsked();
        if (asked <= before + 1) await leave();
        return asked;
      }).toBeGreaterThan(before + 1);
      expect(await read(callId), 'it may still cost something').toMatchObject({ ended_at: null });
      voice.twilio.intercept = undefined;
      await until(async () => (await read(callId)).end_reason).toBe('node_lost');
    },
  );

  it('is ended by an operator, and with its conversation', async () => {
    const stopped = await transferred();
    const operator = await makeMember(voice.service, { role: 'operator', workspaceId });
    const ended = await operator.call(`POST /api/console/voice/calls/${stopped.callId}/end`);
    expect(ended.status, JSON.stringify(ended.body)).toBe(200);
    await stopped.call.ended;
    expect(await read(stopped.callId)).toMatchObject({ end_reason: 'stopped' });

    const deleted = await transferred();
    await run(sql`delete from conversations where id = ${deleted.callId}`);
    await passTime(deleted.callId, 70);
    await deleted.call.ended;
    await until(() => voice.transferred(deleted.callId)).toBe(false);
    // A minute of the first, and two of the second, on both legs.
    await until(async () => Number(await telephone())).toBeGreaterThanOrEqual(1.53);
  });

  it('over a SIP trunk keeps to the same rules, and is refused if the balance is limited', async () => {
    const trunk = await openUdpPeer();
    const [port, rtp] = [await freeUdpPorts(), await freeUdpPorts(20)];
    const sip = await startVoiceService({
      SVC_VOICE_TRANSPORT: 'sip',
      SIP_TRUNK_URI: `sip:127.0.0.1:${trunk.port}`,
      SIP_LISTEN: `127.0.0.1:${port}`,
      RTP_PORT_MIN: String(rtp),
      RTP_PORT_MAX: String(rtp + 19),
      SVC_VOICE_CALLS_PER_HOUR: '1',
    });
    const workspace = await sip.service.makeWorkspace();
    const referrals = () => trunk.received.filter((line) => line.startsWith('REFER'));

    /** A caller reaches a bot through the trunk, and wants to talk to a person. Returns the id of the call, and how to continue. */
    async function callAndPress(name: string, transferNumber: string) {
      const transfer = { call_transfer_enabled: true, call_transfer_number: transferNumber };
      const { number } = await sip.makeBot(transfer, workspace.key);
      sip.replies.splice(0, Infinity, [toolCall('transfer_call', {})], [text('That did not work.')]);
      let cseq = 0;
      const send = (method: string, more: object = {}, type = 'application/sdp') => {
        if (method !== 'ACK') cseq += 1;
        const branch = `${method}-${name}-${cseq}`;
        const lines = request(trunk, method, { call: name, cseq, branch, ...more });
        trunk.send(
          port,
          lines.map((line) => line.replace('+4930100@', `${number}@`).replace('application/sdp', type)),
        );
      };
      send('INVITE', { body: description(40_000) });
      const answer = () =>
        trunk.received.find((line) => line.startsWith('SIP/2.0 200') && headerIn(line, 'Call-ID') === name);
      await until(answer).toBeDefined();
      const toTag = toTagOf(answer() ?? '');
      const calls = async () =>
        (await createCall(sip.service.url, workspace.key)('GET /api/v1/conversations')).body;
      const before = (await calls()).length;
      send('ACK', { toTag });
      await until(async () => (await calls()).length).toBe(before + 1);
      const [{ id }] = await calls();
      const call = async () =>
        (await createCall(sip.service.url, workspace.key)(`GET /api/v1/conversations/${id}`)).body.call;
      await until(async () => (await call()).status).toBe('in_progress');
      for (const digit of '0#') send('INFO', { toTag, body: digit }, 'application/dtmf');
      return {
        call,
        notify: () => send('NOTIFY', { toTag, body: 'SIP/2.0 200 OK' }, 'message/sipfrag'),
        hangUp: () => send('BYE', { toTag }),
      };
    }

    async function expectNoReferral(name: string, transferNumber: string, why: string) {
      const { call, hangUp } = await callAndPress(name, transferNumber);
      const told = () => sip.model.requests.some(({ body }) => JSON.stringify(body).includes(why));
      await until(told).toBe(true);
      expect((await call()).status).toBe('in_progress');
      hangUp();
      await until(async () => (await call()).end_reason).toBe('caller_hung_up');
    }

    await expectNoReferral('abroad', '+436641234567', 'is in Austria');
    await expectNoReferral('premium', '+499001123456', 'premium-rate');
    expect(referrals()).toEqual([]);
    const { call, notify } = await callAndPress('transferred', '+49 30 999');
    const referral = await trunk.next('REFER');
    expect(headerIn(referral, 'Refer-To')).toContain('sip:+4930999@');
    trunk.reply(referral, '202 Accepted');
    notify();
    trunk.reply(await trunk.next('BYE'), '200 OK');
    await until(async () => (await call()).end_reason).toBe('transferred');
    await expectNoReferral('second', '+49 30 999', '--max-calls-per-hour');
    const { changePlan } = createWorkspaceService(sip.service);
    await changePlan(workspace.id, { addCreditUsd: '10' }, { calls_per_hour: 'unlimited' });
    await expectNoReferral('limited', '+49 30 999', 'does not tell when a transferred call ends');
    expect(new Set(referrals()).size).toBe(1);
    await sip.stop();
    trunk.close();
  });
});
