import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { createRandom } from '../support/faults/random.ts';
import { readStream } from '../support/faults/reader.ts';
import { asRead, type ClientView, createClientView } from '../support/faults/view.ts';
import { fewer } from '../support/sample.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const seed = Number(process.env['RESUME_SEED'] ?? Date.now() % 2 ** 31);
const readers = 4;
const cuts = fewer(1_000);
/** So many turns are read at least. */
const leastTurns = 4;
/** Response headers take about 400 bytes, a whole turn about 20,000. */
const longestRead = 5_000;
const longestWait = 250;

let model: ScriptedModel;
let service: TestApp;
let botId: string;

beforeEach(async () => {
  model = await startScriptedModel();
  service = await startTestApp({ environment: { OPENAI_BASE_URL: model.url('openai') } });
  const created = await service.call('POST /api/v1/bots', { body: { name: 'R', system_prompt: 'Speak.' } });
  expect(created, service.logged.join('')).toMatchObject({ status: 201 });
  botId = created.body.id;
});
afterEach(async () => {
  await service.stop();
  await model.close();
});

const words = ['plain', 'ünïcödé', '𝕨𝕚𝕕𝕖', '👩‍👩‍👧‍👦', 'data: x', '"quoted"', '\nid: 7\n', '語'];

function makeReply(random: ReturnType<typeof createRandom>): string {
  const count = 40 + random.below(160);
  return Array.from({ length: count }, () => words[random.below(words.length)]).join(' ');
}

/** Sends a message and reads its stream to the end, as every integration does. */
async function runTurn(conversationId: string | undefined): Promise<string> {
  const stream = readStream(service.url, {
    key: service.key,
    operation: 'POST /api/v1/chat/send-stream',
    body: {
      message: 'Continue.',
      external_user_id: 'u',
      ...(conversationId ? { conversation_id: conversationId } : { bot_id: botId, new_conversation: true }),
    },
  });
  await stream.closed;
  expect(stream.events.at(-1)?.event, stream.body()).toBe('turn.completed');
  return stream.events[0]?.data.conversation_id;
}

interface CutReader {
  view: ClientView;
  cutsMade: number;
}

/** Reads until the cut, at a byte or a moment, and resumes with the id of the last whole event. */
async function readInPieces(
  conversationId: string,
  random: ReturnType<typeof createRandom>,
  reader: CutReader,
  isEnough: () => boolean,
): Promise<void> {
  while (reader.cutsMade < cuts / readers || !isEnough()) {
    const stream = readStream(service.url, {
      key: service.key,
      operation: `GET /api/v1/chat/stream?conversation_id=${conversationId}`,
      lastEventId: reader.view.lastId() ?? 0,
      cutAtByte: 1 + random.below(random.below(3) === 0 ? 600 : longestRead),
      onEvent: (event) => reader.view.apply(event),
    });
    await Promise.race([stream.closed, sleep(20 + random.below(longestWait))]);
    stream.destroy();
    await stream.closed;
    reader.cutsMade += 1;
  }
}

describe('a stream that is cut', () => {
  it(`resumes without a gap or duplicate, cut ${cuts} times at random bytes (RESUME_SEED=${seed})`, async () => {
    onTestFinished(({ task }) => {
      if (task.result?.state === 'fail') process.stderr.write(`RESUME_SEED=${seed}\n`);
    });
    process.stdout.write(`RESUME_SEED=${seed}\n`);
    const random = createRandom(seed);
    model.respondWith(() => [{ type: 'text', text: makeReply(random), delayMs: 1 + random.below(8) }]);
    const conversationId = await runTurn(undefined);

    const all = Array.from({ length: readers }, (_, index) => ({
      reader: { view: createClientView(), cutsMade: 0 },
      random: createRandom(seed + 1 + index),
    }));
    let turns = 1;
    const reading = Promise.all(
      all.map((one) => readInPieces(conversationId, one.random, one.reader, () => turns >= leastTurns)),
    );
    const over = new AbortController();
    void reading.finally(() => over.abort());
    for (; !over.signal.aborted; turns += 1) await runTurn(conversationId);
    await reading;

    const log = await service.call(`GET /api/v1/chat/events?conversation_id=${conversationId}&after=0`);
    const expected = asRead(log.body);
    expect(expected.map(({ id }) => id)).toEqual(Array.from({ length: turns * 3 }, (_, index) => index + 1));
    for (const { reader } of all) {
      const last = readStream(service.url, {
        key: service.key,
        operation: `GET /api/v1/chat/stream?conversation_id=${conversationId}`,
        lastEventId: reader.view.lastId() ?? 0,
        onEvent: (event) => reader.view.apply(event),
      });
      onTestFinished(() => last.destroy());
      await expect.poll(() => reader.view.lastId()).toBe(expected.length);
      expect(reader.view.durable).toEqual(expected);
      expect(reader.view.faults).toEqual([]);
      expect([...reader.view.previews]).toEqual([]);
      expect([...reader.view.retracted]).toEqual([]);
    }
    expect(all.reduce((sum, { reader }) => sum + reader.cutsMade, 0)).toBeGreaterThanOrEqual(cuts);
  });
});
