import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { createWorkspaceService } from '../../src/workspaces/workspaces.service.ts';
import { text } from '../scripted-model/script.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { startVoiceService, until, type VoiceService } from '../support/voice/voice-service.ts';

let voice: VoiceService;
let silent: TestApp;

beforeAll(async () => {
  voice = await startVoiceService();
  silent = await startTestApp();
});

afterAll(async () => {
  await voice.stop();
  await silent.stop();
});

const place = (body: unknown, key?: string, once?: string) =>
  voice.service.call('POST /api/v1/calls', {
    body,
    ...(key && { key }),
    ...(once && { headers: { 'idempotency-key': once } }),
  });

describe('POST /calls', () => {
  it('places a call from the number of the bot, which then talks', async () => {
    const { botId, number } = await voice.makeBot();
    const next = voice.twilio.nextCall();
    const { status, body } = await place({ bot_id: botId, to_number: '+4930777' });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toMatchObject({ success: true, message: 'The call was placed.' });
    expect(Object.keys(body.data)).toEqual(['call_id']);
    const callId = body.data.call_id;
    const call = await next;
    expect(call.form).toMatchObject({ To: '+4930777', From: number });
    await call.report('ringing');
    await until(async () => (await voice.read(callId)).call.status).toBe('ringing');
    const phone = await call.answer();
    await until(() => phone.heard.length).toBeGreaterThan(20 * 40 * 8 * 0.9);
    expect((await voice.read(callId)).call).toMatchObject({ direction: 'outbound', to_number: '+4930777' });
    await call.hangUp();
    expect((await voice.over(callId)).call).toMatchObject({
      status: 'completed',
      end_reason: 'caller_hung_up',
    });
  });

  it('and POST /calls/{id}/end ends it, once, for its own workspace', async () => {
    const { botId } = await voice.makeBot();
    const next = voice.twilio.nextCall();
    const { body } = await place({ bot_id: botId, to_number: '+4930779' });
    const call = await next;
    await call.answer();
    const callId = body.data.call_id;
    const path = `POST /api/v1/calls/${callId}/end`;
    const { key } = await voice.service.makeWorkspace();
    expect((await voice.service.call(path, { key })).status).toBe(404);
    expect((await voice.read(callId)).call.status).toBe('in_progress');
    const ended = await voice.service.call(path);
    expect(ended.status, JSON.stringify(ended.body)).toBe(200);
    expect(ended.body).toEqual({ success: true, data: { call_id: callId }, message: 'The call is over.' });
    expect((await voice.read(callId)).call).toMatchObject({ status: 'completed', end_reason: 'stopped' });
    await until(() => call.status).toBe('completed');
    expect((await voice.service.call(path)).status).toBe(200);
    expect((await voice.read(callId)).call.end_reason).toBe('stopped');
  });

  it.each([
    ['busy', 'busy', 'busy'],
    ['no-answer', 'no_answer', 'no_answer'],
    ['failed', 'failed', 'line_failed'],
  ])('records %s', async (reported, status, reason) => {
    const { botId } = await voice.makeBot();
    const next = voice.twilio.nextCall();
    const { body } = await place({ bot_id: botId, to_number: '+4930778' });
    await (await next).report(reported);
    const ended = await voice.over(body.data.call_id);
    expect(ended.call).toMatchObject({ status, end_reason: reason, duration_seconds: 0 });
    expect(ended.status).toBe(status);
  });

  it('refuses what cannot be called, in the order of the contract', async () => {
    const { botId } = await voice.makeBot();
    const { botId: quiet } = await voice.makeBot({ outbound_calls_enabled: false });
    const bare = await voice.service.call('POST /api/v1/bots', {
      body: { name: 'No number', system_prompt: 'Hi.', outbound_calls_enabled: true },
    });
    const other = await voice.service.makeWorkspace();
    const to = '+4930779';
    expect(await place({ bot_id: botId })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED' },
    });
    expect((await place({ bot_id: botId, to_number: 'me' })).body.details[0].path).toBe('to_number');
    expect((await place({ bot_id: botId, to_number: to, greeting: 'Hi' })).status).toBe(400);
    for (const wrong of ['nonsense', '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90', quiet, bare.body.id]) {
      const answer = await place({ bot_id: wrong, to_number: to });
      expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
      expect(answer.body.details[0].path).toBe('bot_id');
    }
    expect((await place({ bot_id: botId, to_number: to }, other.key)).status).toBe(400);
    const reader = await voice.service.makeKey({ abilities: ['voice:read'] });
    expect((await place({ bot_id: botId, to_number: to }, reader)).status).toBe(403);
    await voice.service.call(`DELETE /api/v1/bots/${botId}`);
    expect((await place({ bot_id: botId, to_number: to })).status).toBe(400);
    const onSilent = (bot_id: string) =>
      silent.call('POST /api/v1/calls', { body: { bot_id, to_number: to } });
    expect(await onSilent('x')).toMatchObject({ status: 400, body: { details: [{ path: 'bot_id' }] } });
    const disabled = await onSilent(randomUUID());
    expect(disabled).toMatchObject({ status: 503, body: { code: 'VOICE_DISABLED' } });
    expect((await silent.call('POST /api/v1/calls', { body: { to_number: to } })).status).toBe(400);
  });

  it('says why the network does not take a call, and keeps that on the conversation', async () => {
    const { botId } = await voice.makeBot();
    voice.twilio.intercept = ({ path }) =>
      path.includes('Calls') ? { status: 400, body: { code: 21211, message: 'Invalid To.' } } : undefined;
    const once = randomUUID();
    const answer = await place({ bot_id: botId, to_number: '+4930780' }, undefined, once);
    voice.twilio.intercept = undefined;
    expect(answer).toMatchObject({ status: 400, body: { code: 'CALL_FAILED' } });
    const failed = await voice.read(await voice.newest());
    expect(failed.call).toMatchObject({ status: 'failed', end_reason: 'not_placed', to_number: '+4930780' });
    expect(failed.call.end_detail).toBe(answer.body.message);
    // The key is free again: no call was made.
    const again = await place({ bot_id: botId, to_number: '+4930780' }, undefined, once);
    expect(again.status).toBe(200);
    expect((await voice.read(again.body.data.call_id)).call.end_reason).toBeNull();
    await voice.twilio.calls.at(-1)?.report('no-answer');
  });

  it('places a call once, even if the process is lost while it does', async () => {
    const { botId } = await voice.makeBot();
    const once = randomUUID();
    const again = () => place({ bot_id: botId, to_number: '+4930791' }, undefined, once);
    let repeated: Awaited<ReturnType<typeof place>> | undefined;
    // Twilio has the call, and its answer will not arrive.
    voice.twilio.intercept = async () => {
      voice.twilio.intercept = undefined;
      expect(await again()).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_IN_PROGRESS' } });
      await voice.service.database.acrossWorkspaces.execute(
        sql`update idempotency_records set node_id = gen_random_uuid() where key = ${once}`,
      );
      repeated = await again();
      return undefined;
    };
    const first = await again();
    expect(first).toMatchObject({ status: 200, body: { message: 'The call was placed.' } });
    expect([repeated?.body, (await again()).body]).toEqual([first.body, first.body]);
    const placed = voice.twilio.calls.filter(({ form }) => form['To'] === '+4930791');
    expect(placed).toHaveLength(1);
    await placed[0]?.report('no-answer');
  });

  it('does not place what cannot be paid for, and never answers with 402', async () => {
    const { botId, number } = await voice.makeBot();
    await setCredit('0.001');
    const { status, body } = await place({ bot_id: botId, to_number: '+4930781' });
    expect(body).toMatchObject({ success: true, message: expect.stringContaining('not placed') });
    expect(status).toBe(200);
    const ended = await voice.over(body.data.call_id);
    expect(ended.call).toMatchObject({ status: 'ended_by_limit', end_reason: 'insufficient_balance' });
    const inbound = await voice.twilio.callIn(voice.service.url, { from: '+4930782', to: number });
    expect(inbound.twiml).toContain('<Reject');
    await setCredit(null);
  });

  it('sets money aside for each call, so that many at once cannot spend the same balance', async () => {
    const { id: workspaceId, key } = await voice.service.makeWorkspace();
    const { botId } = await voice.makeBot({}, key);
    // A minute costs 0.018 for the telephone, 0.0092 for listening and 0.04 for speaking.
    await createWorkspaceService(voice.service).changePlan(workspaceId, { addCreditUsd: '0.15' });
    const reserved = async () => {
      const { rows } = await voice.service.database.acrossWorkspaces.execute<{ reserved: number }>(
        sql`select reserved_usd::float8 as reserved from billing_accounts where workspace_id = ${workspaceId}`,
      );
      return rows[0]?.reserved;
    };
    const numbers = Array.from({ length: 5 }, (_, index) => `+49307870${index}`);
    const placed = await Promise.all(numbers.map((to_number) => place({ bot_id: botId, to_number }, key)));
    expect(placed.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const list = async () =>
      (await voice.service.call('GET /api/v1/conversations?channel=voice', { key })).body as {
        call: { end_reason: string | null };
      }[];
    const reasons = (await list()).map(({ call }) => call.end_reason ?? 'open');
    expect(reasons.toSorted()).toEqual([...Array(3).fill('insufficient_balance'), 'open', 'open']);
    expect(await reserved()).toBeCloseTo(0.1344, 9);
    const ringing = voice.twilio.calls.filter(({ form }) => numbers.includes(String(form['To'])));
    expect(ringing).toHaveLength(2);
    for (const call of ringing) await call.report('no-answer');
    await until(reserved).toBe(0);
  });

  it('refuses more calls at once than the workspace may have, and a caller hears that it is busy', async () => {
    const { id, key } = await voice.service.makeWorkspace();
    await createWorkspaceService(voice.service).changePlan(id, {}, { calls: 2 });
    const { botId, number } = await voice.makeBot({}, key);
    const to_number = '+4930788';
    const placed = await Promise.all(
      Array.from({ length: 4 }, () => place({ bot_id: botId, to_number }, key)),
    );
    expect(placed.map(({ status }) => status).toSorted()).toEqual([200, 200, 429, 429]);
    const refused = placed.find(({ status }) => status === 429);
    expect(refused?.body).toMatchObject({
      code: 'RATE_LIMITED',
      message: expect.stringContaining('--max-calls'),
      details: [{ limit: 'calls', value: 2 }],
    });
    const inbound = await voice.twilio.callIn(voice.service.url, { from: '+4930789', to: number });
    expect(inbound.twiml).toContain('busy');
    const [ringing] = voice.twilio.calls.filter(({ form }) => form['To'] === to_number);
    await ringing?.report('busy');
    await until(async () => (await place({ bot_id: botId, to_number }, key)).status).toBe(200);
  });

  it('ends a call when the balance is used up, or when its conversation is deleted', async () => {
    const { key } = await voice.service.makeWorkspace();
    const { number: other } = await voice.makeBot({}, key);
    const deleted = await voice.twilio.callIn(voice.service.url, { from: '+4930790', to: other });
    const phone = await deleted.answer();
    const asked = voice.model.requests.length;
    // While a reply is expected, silence does not end the call.
    voice.replies.unshift([{ type: 'hang' }]);
    phone.press('1');
    phone.press('#');
    await until(() => voice.model.requests.length).toBeGreaterThan(asked);
    const [{ id: deletedId }] = (await voice.service.call('GET /api/v1/conversations', { key })).body;
    const { botId, number } = await voice.makeBot();
    await setCredit('0.5');
    const call = await voice.twilio.callIn(voice.service.url, { from: '+4930783', to: number });
    await call.answer();
    const callId = await voice.newest();
    await until(async () => (await voice.read(callId)).messages.length).toBe(1);
    await voice.service.database.acrossWorkspaces.execute(
      sql`delete from conversations where id = ${deletedId}`,
    );
    await setCredit('0.002');
    const ended = await voice.over(callId);
    expect(ended.call).toMatchObject({ status: 'ended_by_limit', end_reason: 'insufficient_balance' });
    expect(ended.bot_id).toBe(botId);
    await setCredit(null);
    await deleted.ended;
    const usage = async () => (await voice.service.call('GET /api/v1/usage?by=model', { key })).body.rows;
    await until(usage).toContainEqual(expect.objectContaining({ model: 'twilio/telephone' }));
  });
});

describe('calls without an end', () => {
  it('are ended at their limit, and after a question if the caller stays silent', async () => {
    async function answered(settings: Record<string, unknown>): Promise<string> {
      const { botId } = await voice.makeBot(settings);
      const next = voice.twilio.nextCall();
      const { body } = await place({ bot_id: botId, to_number: '+4930786' });
      await (await next).answer();
      return body.data.call_id;
    }
    const long = await answered({ max_call_seconds: 10 });
    const quiet = await answered({});
    const ended = await voice.over(long);
    expect(ended.call).toMatchObject({ status: 'ended_by_limit', end_reason: 'max_duration' });
    const hungUp = await voice.over(quiet);
    expect(hungUp.call).toMatchObject({ status: 'completed', end_reason: 'silence' });
    expect(hungUp.messages.map(({ content }: { content: string }) => content)).toEqual([
      'Hello, this is Acme.',
      'Are you still there?',
      'I cannot hear you, so I will hang up now. Goodbye!',
    ]);
  });

  it('are ended when their node is lost, or when they were never connected', async () => {
    const { botId } = await voice.makeBot();
    voice.replies.push([text('Hello.')]);
    const next = voice.twilio.nextCall();
    const { body } = await place({ bot_id: botId, to_number: '+4930784' });
    await next;
    const second = voice.twilio.nextCall();
    const late = await place({ bot_id: botId, to_number: '+4930785' });
    await second;
    const { database } = voice.service;
    await database.acrossWorkspaces.prepared(
      {
        name: 'test.lose_node',
        text: `update voice_calls set status = 'in_progress', answered_at = now(), node_id = gen_random_uuid() where id = $1`,
      },
      [body.data.call_id],
    );
    await database.acrossWorkspaces.prepared(
      { name: 'test.pass_deadline', text: `update voice_calls set deadline_at = now() where id = $1` },
      [late.body.data.call_id],
    );
    expect((await voice.over(body.data.call_id)).call).toMatchObject({
      status: 'failed',
      end_reason: 'node_lost',
    });
    expect((await voice.over(late.body.data.call_id)).call).toMatchObject({
      status: 'no_answer',
      end_reason: 'no_answer',
    });
  });
});

async function setCredit(credit: string | null): Promise<void> {
  await voice.service.database.acrossWorkspaces.prepared(
    { name: 'test.credit', text: 'update workspaces set credit_usd = $1::numeric' },
    [credit],
  );
}
