import { createHmac } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { withDeadLetters } from '../../src/jobs/dead-letters.ts';
import { createKeyRing } from '../../src/secrets/key-ring.ts';
import { createSecretBox } from '../../src/secrets/secret-box.ts';
import { webhookSecret } from '../../src/webhooks/webhook-signature.ts';
import { hang, text } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import {
  incomplete,
  makeAgent,
  playAgent,
  readConversation,
  runToItsEnd,
  startRun,
} from '../support/agents.ts';
import { askedBy, eventually, scriptedEnvironment } from '../support/chat.ts';
import { type Receiver, startReceiver } from '../support/notice-receivers.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const encryptionKey = Buffer.alloc(32, 9);
const urlToken = 'canary-url-t0ken';
let scripted: ScriptedModel;
let service: TestApp;
let receiver: Receiver;

beforeAll(async () => {
  scripted = await startScriptedModel();
  receiver = await startReceiver(urlToken);
  service = await startTestApp({
    environment: { ...scriptedEnvironment(scripted), SVC_EGRESS_ALLOW: '127.0.0.1' },
    encryptionKey,
  });
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
  receiver.close();
});
beforeEach(() => {
  scripted.reset();
  receiver.posts.length = 0;
  receiver.answers.length = 0;
});

const schema = {
  type: 'object',
  properties: { count: { type: 'integer' } },
  required: ['count'],
  additionalProperties: false,
};
const stop = (conversationId: string) =>
  service.call('POST /api/v1/chat/stop', { body: { conversation_id: conversationId } });
const patiently = { interval: 100 };
const webhookOf = async (conversationId: string) =>
  (await readConversation(service, conversationId)).run.webhook;

describe('an output as JSON', () => {
  const output_config = { format: 'json', schema };

  it('matches the schema, which the agent is given', async () => {
    const played = playAgent(scripted, [[text('```json\n{"count": 4}\n```')]]);
    const ended = await runToItsEnd(service, await makeAgent(service, { output_config }));
    expect(ended).toMatchObject({ status: 'completed', final_output: { count: 4 } });
    expect(askedBy(played.asked()[0])[0]?.content).toContain(JSON.stringify(schema));
  });

  it('that does not match is sent back with every error, before the completion check', async () => {
    const played = playAgent(scripted, [
      [text('There are four.')],
      [text('{"count":"four","colour":"red"}')],
      [text('{"count":4}')],
    ]);
    const ended = await runToItsEnd(service, await makeAgent(service, { output_config }));
    expect(ended).toMatchObject({ status: 'completed', final_output: { count: 4 }, run: { iterations: 3 } });
    expect(askedBy(played.asked()[1]).at(-1)?.content).toContain('- The output is not valid JSON: ');
    const second = askedBy(played.asked()[2]).at(-1)?.content;
    expect(second).toContain('- count must be an integer');
    expect(second).toContain('- colour is not');
    expect(played.checks()).toHaveLength(1);
  });

  it('that never matches ends the run when its iterations are used up', async () => {
    const played = playAgent(scripted, [[text('Four!')]]);
    const agentId = await makeAgent(service, { output_config, max_iterations: 2 });
    expect(await runToItsEnd(service, agentId)).toMatchObject({
      status: 'max_iterations_reached',
      final_output: null,
      run: { iterations: 2 },
    });
    expect(played.asked()).toHaveLength(2);
    expect(played.checks()).toHaveLength(0);
  });

  it.each([
    ['"Plain words."', 'Plain words.'],
    ['null', null],
    [String.raw`{"a\u0000":"b\u0000\ud800"}`, { 'a\0': 'b\ufffd' }],
  ])('can be read again, whatever value the agent wrote: %s', async (said, value) => {
    playAgent(scripted, [[text(said)]]);
    const agentId = await makeAgent(service, { output_config: { format: 'json' } });
    expect(await runToItsEnd(service, agentId)).toMatchObject({ status: 'completed', final_output: value });
  });

  it('is as it was set when the run began', async () => {
    playAgent(scripted, [[text('{"count":4}'), { type: 'delay', milliseconds: 500 }]]);
    const agentId = await makeAgent(service, { output_config });
    const conversationId = await startRun(service, agentId);
    const changed = await service.call(`PUT /api/v1/bots/${agentId}`, { body: { output_config: null } });
    expect(changed).toMatchObject({ status: 200 });
    await eventually(async () => (await readConversation(service, conversationId)).status).toBe('completed');
    expect((await readConversation(service, conversationId)).final_output).toEqual({ count: 4 });
  });
});

it.each(['42', '"quoted"', '{"a":1}', 'null', 'Plain words.'])(
  'an output as text stays the text that it is: %s',
  async (said) => {
    playAgent(scripted, [[text(said)]]);
    const ended = await runToItsEnd(service, await makeAgent(service, { output_config: { format: 'text' } }));
    expect(ended.final_output).toBe(said);
    expect(ended.run.webhook).toBeUndefined();
  },
);

describe('a webhook', () => {
  const notified = (fields: object = {}) =>
    makeAgent(service, { output_config: { format: 'text', webhook_url: receiver.url }, ...fields });

  it('receives a signed notice of a completed run', async () => {
    playAgent(scripted, [[text('There are four.')]]);
    const agentId = await notified();
    const ended = await runToItsEnd(service, agentId);
    await eventually(() => webhookOf(ended.id)).toEqual({
      status: 'delivered',
      attempts: 1,
      last_error: null,
    });
    expect(receiver.posts).toHaveLength(1);
    const [post] = receiver.posts;
    const { webhook: _webhook, ...run } = ended.run;
    expect(JSON.parse(post?.body ?? '')).toEqual({
      type: 'run.ended',
      delivery_id: post?.headers['svc-delivery-id'],
      run_id: run.id,
      bot_id: agentId,
      conversation_id: ended.id,
      run,
      final_output: 'There are four.',
    });
    expect(post?.headers).toMatchObject({
      'svc-delivery-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'svc-run-id': run.id,
    });
    const events = await service.call(`GET /api/v1/chat/events?conversation_id=${ended.id}&after=0`);
    expect(events.body[0]).toMatchObject({ event: 'turn.started', data: { turn_id: run.id } });
    const { webhook_secret: secret } = (await service.call(`GET /api/v1/bots/${agentId}/webhook-secret`))
      .body;
    expect(secret).toBe(webhookSecret(createSecretBox(createKeyRing(encryptionKey)), agentId));
    const [, time = '', given = ''] =
      /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(post?.headers['svc-signature'])) ?? [];
    expect(given).toBe(createHmac('sha256', secret).update(`${time}.${post?.body}`).digest('hex'));
  });

  it('is notified of every outcome', async () => {
    playAgent(scripted, [[hang]]);
    const interrupted = await startRun(service, await notified());
    await eventually(() => scripted.requests.length).toBe(1);
    await stop(interrupted);
    scripted.reset();
    playAgent(scripted, [[text('Done!')]], [incomplete('all')]);
    await runToItsEnd(service, await notified({ max_iterations: 1 }));
    scripted.reset();
    playAgent(scripted, [[text('Done!')]], ['nonsense']);
    await runToItsEnd(service, await notified());
    await eventually(() => receiver.posts.length).toBe(3);
    const told = receiver.posts.map(({ body }) => JSON.parse(body));
    expect(new Set(told.map(({ delivery_id: id }) => id)).size).toBe(3);
    expect(told.map(({ run, final_output }) => [run.status, final_output]).toSorted()).toEqual([
      ['failed', null],
      ['interrupted', null],
      ['max_iterations_reached', null],
    ]);
  });

  it('that fails is retried, and the run shows that meanwhile', async () => {
    receiver.answers.push(500);
    playAgent(scripted, [[text('Done.')]]);
    const { id } = await runToItsEnd(service, await notified());
    await eventually(() => webhookOf(id)).toEqual({
      status: 'pending',
      attempts: 1,
      last_error: 'The webhook answered with 500.',
    });
    await expect
      .poll(() => webhookOf(id), patiently)
      .toEqual({ status: 'delivered', attempts: 2, last_error: null });
    expect(receiver.posts).toHaveLength(2);
    expect(receiver.posts[1]?.body).toBe(receiver.posts[0]?.body);
    const [first, second] = receiver.posts.map(({ headers }) => headers['svc-delivery-id']);
    expect(second).toBe(first);
  });

  it('at a forbidden address fails for good, and the operator sees it', async () => {
    playAgent(scripted, [[text('Done.')]]);
    // Saved when it was allowed.
    const agentId = await notified();
    const forbidden = { format: 'text', webhook_url: `http://10.0.0.1/${urlToken}` };
    await service.database.acrossWorkspaces.raw('update bots set output_config = $1 where id = $2', [
      forbidden,
      agentId,
    ]);
    const { id } = await runToItsEnd(service, agentId);
    await eventually(async () => (await webhookOf(id)).status).toBe('failed');
    expect(await webhookOf(id)).toEqual({ status: 'failed', attempts: 1, last_error: expect.any(String) });
    const log = pino({ level: 'silent' });
    const letters = () => withDeadLetters({ database: service.database, log }, (dead) => dead.list());
    await expect
      .poll(async () => (await letters()).map(({ queue }) => queue), patiently)
      .toEqual(['run-webhooks']);
    const shown = JSON.stringify([await letters(), await webhookOf(id), service.logged]);
    expect(shown).not.toContain(urlToken);
  });

  it('that fails its last retry has failed until an operator retries it', async () => {
    receiver.answers.push(503, 503);
    playAgent(scripted, [[text('Done.')]]);
    const { id } = await runToItsEnd(service, await notified());
    // As if it had been tried all day, once the first attempt has been recorded.
    const age =
      "update pgboss.job set retry_count = retry_limit - 1 where name = 'run-webhooks' and state = 'retry' returning id";
    await expect
      .poll(async () => (await service.database.acrossWorkspaces.raw(age)).rows.length, patiently)
      .toBeGreaterThan(0);
    await expect
      .poll(() => webhookOf(id), patiently)
      .toEqual({ status: 'failed', attempts: 2, last_error: 'The webhook answered with 503.' });
    const find = async () => {
      const { body } = await service.call('GET /api/v1/jobs?status=failed');
      return body.find(({ error }: { error: string }) => error === 'The webhook answered with 503.');
    };
    await expect.poll(find, patiently).toEqual({
      id: expect.any(String),
      status: 'failed',
      queue: 'run-webhooks',
      subject: { turn_id: (await readConversation(service, id)).run.id },
      error: 'The webhook answered with 503.',
      attempts: expect.any(Number),
      failed_at: expect.stringMatching(/Z$/),
    });
    const { id: jobId } = await find();
    expect(await service.call(`POST /api/v1/jobs/${jobId}/retry`)).toMatchObject({ status: 200 });
    expect(await service.call(`POST /api/v1/jobs/${jobId}/retry`)).toMatchObject({ status: 404 });
    await expect
      .poll(() => webhookOf(id), patiently)
      .toEqual({ status: 'delivered', attempts: 3, last_error: null });
    expect(await find()).toBeUndefined();
    // The same delivery, as far as the receiver can tell.
    expect(new Set(receiver.posts.map(({ headers }) => headers['svc-delivery-id'])).size).toBe(1);
  });
});
