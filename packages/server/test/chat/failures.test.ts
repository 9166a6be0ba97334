import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { open, raw, type Script, status, text } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { canaryKey, chatWith, namesOf, type SaidTurn, scriptedEnvironment } from '../support/chat.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** A provider's error text is never shown: it may quote keys, prompts and addresses. */
const providerWords = 'the-words-of-the-provider';
const failure = { error: { message: `${providerWords} ${canaryKey}`, type: 'x', code: 'y' } };
const hurry = { 'retry-after': '0' };

let scripted: ScriptedModel;
let service: TestApp;
let botId: string;
const chat = chatWith(() => service);
beforeAll(async () => {
  scripted = await startScriptedModel();
  service = await startTestApp({ environment: scriptedEnvironment(scripted) });
  botId = await chat.bot();
});
beforeEach(() => scripted.reset());
afterAll(async () => {
  await service.stop();
  await scripted.close();
});

/** The failure is reported without the provider's text, and the next turn works. */
async function failsAndGoesOn(error: object): Promise<SaidTurn> {
  const user = { bot_id: botId, external_user_id: randomUUID() };
  const requestId = randomUUID();
  const said = await chat.say(user, { headers: { 'x-request-id': requestId } });
  expect(said.last).toMatchObject({
    event: 'turn.failed',
    data: {
      turn_id: said.turnId,
      error: {
        success: false,
        message: expect.stringMatching(/^[A-Z].*\.$/),
        request_id: requestId,
        ...error,
      },
    },
  });
  const everything = JSON.stringify([said.events, await chat.log(said.conversationId), service.logged]);
  expect(everything).not.toContain(canaryKey);
  expect(JSON.stringify([said.events, await chat.log(said.conversationId)])).not.toContain(providerWords);
  const { body } = await service.call(`GET /api/v1/conversations/${said.conversationId}`);
  expect(body.status).toBe('idle');
  // The operator finds the cause in the log under this id.
  expect(
    service.logged.find((line) => line.includes('A turn failed.') && line.includes(requestId)),
  ).toContain(said.turnId);
  scripted.respondWith([text('Back again.')]);
  expect((await chat.say({ ...user, message: 'And now?' })).text).toBe('Back again.');
  return said;
}

it.each<[string, Script, number, object]>([
  ['429 to the end', [status(429, hurry, failure)], 3, { code: 'MODEL_RATE_LIMITED', retryable: true }],
  ['500 to the end', [status(500, hurry, failure)], 3, { code: 'MODEL_UNAVAILABLE', retryable: true }],
  ['a refused key', [status(401, {}, failure)], 1, { code: 'MODEL_REJECTED', retryable: false }],
  ['a refused request', [status(400, {}, failure)], 1, { code: 'MODEL_REJECTED', retryable: false }],
  ['an error inside the stream', [open, raw(`data: ${JSON.stringify(failure)}\n\n`)], 3, { retryable: true }],
])('%s', async (_name, script, tries, error) => {
  scripted.respondWith(script);
  const said = await failsAndGoesOn(error);
  expect(scripted.requests).toHaveLength(tries + 1);
  expect(namesOf(said.events)).toEqual(['turn.started', 'turn.failed']);
});

it('a malformed first frame is retried, then reported', async () => {
  scripted.respondWith([raw('data: nonsense\n\n')]);
  await failsAndGoesOn({ code: 'MODEL_UNAVAILABLE', retryable: true });
});

it('a successful second attempt leaves no trace of the first', async () => {
  scripted.enqueue([status(503, hurry, failure)], [text('Here I am.')]);
  const { events, text: whole } = await chat.say({ bot_id: botId });
  expect(whole).toBe('Here I am.');
  expect(namesOf(events).filter((name) => name !== 'message.delta')).toEqual([
    'turn.started',
    'message.completed',
    'turn.completed',
  ]);
});

it('the provider cannot make us wait for our own database', async () => {
  scripted.respondWith([status(500, hurry, { error: { message: 'Connection terminated unexpectedly' } })]);
  await failsAndGoesOn({ code: 'MODEL_UNAVAILABLE' });
});

it('no provider at the address', async () => {
  const gone = await startScriptedModel();
  const lonely = await startTestApp({ environment: scriptedEnvironment(gone) });
  await gone.close();
  const alone = chatWith(() => lonely);
  const { last } = await alone.say({ bot_id: await alone.bot() });
  expect(last).toMatchObject({ event: 'turn.failed', data: { error: { code: 'MODEL_UNAVAILABLE' } } });
  await lonely.stop();
});
