import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeAgent, trigger } from '../support/agents.ts';
import { chatWith, scriptedEnvironment } from '../support/chat.ts';
import { createRandom } from '../support/faults/random.ts';
import {
  type HandPlayedModel,
  type PlayedReply,
  startHandPlayedModel,
} from '../support/hand-played-model.ts';
import { setLimits } from '../support/limits.ts';
import { openSse, type SseReader } from '../support/sse-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let played: HandPlayedModel;
let service: TestApp;
let botId: string;
let conversationId: string;
const chat = chatWith(() => service);
beforeAll(async () => {
  played = await startHandPlayedModel();
  service = await startTestApp({ environment: scriptedEnvironment(played) });
  botId = await chat.bot();
});
afterAll(async () => {
  await service.stop();
  await played.close();
});

const seed = Number(process.env['LIMITS_SEED'] ?? Date.now());
const random = createRandom(seed);
const oneOf = <Value>(values: readonly Value[]): Value => values[random.below(values.length)] as Value;
const discover = () =>
  openSse(`${service.url}/api/v1/bots/discover`, {
    method: 'POST',
    key: service.key,
    body: { description: 'x' },
  });

/** What a model can do while callers wait for it. */
const replies: ((reply: PlayedReply) => void)[] = [
  (reply) => reply.finish(),
  (reply) => reply.cut(),
  (reply) => reply.end(),
  (reply) => reply.writeRaw('data: {nonsense\n\n'),
  (reply) => {
    reply.write('word');
    reply.cut();
  },
];

/** What a caller can do with a stream. */
const readers: ((reader: SseReader) => Promise<unknown>)[] = [
  (reader) => reader.ended(60_000),
  async (reader) => reader.close(),
  async (reader) => {
    await reader.until(() => true);
    reader.close();
  },
];

const begin: (() => Promise<unknown>)[] = [
  async () => read(await chat.send({ bot_id: botId }), oneOf(readers)),
  async () => read(await discover(), oneOf(readers)),
  async () => (await chat.listen(conversationId)).close(),
  async () => (await chat.send({ bot_id: 'not even an id' })).close(),
  async () => (await chat.listen('nowhere')).close(),
  async () => (await chat.send({ bot_id: botId, conversation_id: conversationId })).close(),
  async () => trigger(service, await makeAgent(service)),
  async () => {
    const reader = await chat.send({ bot_id: botId });
    if (reader.status !== 200) return;
    const { data } = await reader.until('turn.started');
    await service.call('POST /api/v1/chat/stop', { body: { conversation_id: data.conversation_id } });
    reader.close();
  },
  // Disconnects before the first byte of the response.
  async () => {
    const gone = new AbortController();
    const asked = fetch(`${service.url}/api/v1/chat/stream?conversation_id=${conversationId}`, {
      headers: { authorization: `Bearer ${service.key}` },
      signal: gone.signal,
    }).catch(() => undefined);
    await new Promise(setImmediate);
    gone.abort();
    await asked;
  },
];

async function read(reader: SseReader, then: (reader: SseReader) => Promise<unknown>): Promise<void> {
  if (reader.status === 200) await then(reader);
  else expect(reader.status).toBe(429);
}

it('releases every place, however the request ends', async () => {
  played.autoplay((reply) => reply.finish());
  ({ conversationId } = await chat.say({ bot_id: botId }));
  await setLimits(service, { streams: 8, turns: 6, drafts: 2 });
  played.autoplay((reply) => oneOf(replies)(reply));
  const works = Array.from({ length: 150 }, () => oneOf(begin));
  const worker = async () => {
    for (let work = works.shift(); work; work = works.shift()) await work();
  };
  await Promise.all(Array.from({ length: 12 }, worker)).catch((error: unknown) => {
    throw new Error(`With seed ${seed}`, { cause: error });
  });
  // With a limit of one, a request is accepted only if no other is counted.
  await setLimits(service, { streams: 1, turns: 1, drafts: 1 });
  played.autoplay((reply) => reply.finish());
  for (const attempt of [() => chat.send({ bot_id: botId }), discover]) {
    await expect
      .poll(
        async () => {
          const reader = await attempt();
          if (reader.status === 200) await reader.ended();
          return reader.status;
        },
        { interval: 100, message: `With seed ${seed}` },
      )
      .toBe(200);
  }
  // No place was released twice.
  const open = await chat.listen(conversationId);
  expect(open.status).toBe(200);
  expect((await chat.listen(conversationId)).status).toBe(429);
  open.close();
  await expect
    .poll(
      async () => {
        const again = await chat.listen(conversationId);
        again.close();
        return again.status;
      },
      { interval: 100 },
    )
    .toBe(200);
});
