import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createTrustedLane } from '../../src/egress/trusted-lane.ts';
import type { Embedder } from '../../src/models/embeddings/embedder.ts';
import {
  createEmbedderRegistry,
  type EmbedderRegistry,
  type EmbedderRegistryOptions,
} from '../../src/models/embeddings/embedder-registry.ts';
import { ModelError } from '../../src/models/model-error.ts';
import { scriptedVector, textsOf } from '../scripted-model/embeddings-wire.ts';
import { cut, hang, raw, type Script, status } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { canaryKey, everythingIn, failureOf } from './support.ts';

const log = pino({ level: 'silent' });
const signal = new AbortController().signal;
const ids = {
  embeddings: 'openai/text-embedding-3-small',
  'google-embeddings': 'google/gemini-embedding-001',
};
const wires = ['embeddings', 'google-embeddings'] as const;

describe('embeddings of a provider', () => {
  const lane = createTrustedLane();
  let scripted: ScriptedModel;

  beforeAll(async () => {
    scripted = await startScriptedModel();
  });
  afterEach(() => scripted.reset());
  afterAll(async () => {
    await lane.close();
    await scripted.close();
  });

  function open(wire: (typeof wires)[number], tuning: Partial<EmbedderRegistryOptions> = {}): Embedder {
    return registry({ model: ids[wire], ...tuning }).current();
  }

  function registry(options: Partial<EmbedderRegistryOptions>): EmbedderRegistry {
    return createEmbedderRegistry({
      providers: {
        openai: { apiKey: canaryKey, baseUrl: scripted.url('openai') },
        google: { apiKey: canaryKey, baseUrl: scripted.url('google') },
      },
      lane,
      log,
      retry: { sleep: () => Promise.resolve() },
      ...options,
    });
  }

  describe.each(wires)('over the wire %s', (wire) => {
    test('each text has a unit vector, in order, however many there are', async () => {
      const embedder = open(wire);
      const texts = Array.from({ length: 150 }, (_, place) => `text number ${place}`);
      const { vectors, inputTokens } = await embedder.embed(texts, 'document', signal);
      expect(vectors).toHaveLength(150);
      expect(inputTokens).toBeGreaterThan(150);
      for (const [place, vector] of vectors.entries()) {
        const expected = scriptedVector(texts[place] ?? '');
        const length = Math.hypot(...expected);
        expect(vector[scriptedVector('number').indexOf(1.001)]).toBeCloseTo(1.001 / length, 5);
        expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
      }
      expect(scripted.requests.map(({ body }) => textsOf(wire, body).length)).toEqual([64, 64, 22]);
      expect(embedder.dimensions).toBe(1536);
    });

    test('an empty list sends no request', async () => {
      expect(await open(wire).embed([], 'document', signal)).toEqual({ vectors: [], inputTokens: 0 });
      expect(scripted.requests).toEqual([]);
    });

    test('empty texts and lone surrogates are replaced, and long texts are truncated', async () => {
      const embedder = open(wire);
      await embedder.embed(['  ', 'a\ud800b', 'x'.repeat(100_000)], 'document', signal);
      const [blank, half, long] = textsOf(wire, scripted.requests[0]?.body ?? {});
      expect(blank).toBe('-');
      expect(half).toBe('a\ufffdb');
      expect(long).toHaveLength(embedder.maxCharacters);
    });

    test.each<[string, Script]>([
      ['limits', [status(429)]],
      ['a failure of theirs', [status(503)]],
      ['a cut connection', [cut]],
      ['an invalid response', [raw('<html>')]],
    ])('tries again after %s', async (_name, failure) => {
      scripted.enqueue(failure, failure);
      const { vectors } = await open(wire).embed(['hello'], 'document', signal);
      expect(vectors).toHaveLength(1);
      expect(scripted.requests).toHaveLength(3);
    });

    test('waits as long as the provider requests, but not for a question', async () => {
      const waits: number[] = [];
      const sleep = async (milliseconds: number) => void waits.push(milliseconds);
      const limited = [status(429, { 'retry-after': '7' })];
      scripted.enqueue(limited);
      await open(wire, { retry: { sleep } }).embed(['hello'], 'document', signal);
      expect(waits).toEqual([7_000]);
      scripted.enqueue(limited);
      const failure = await failureOf(open(wire, { retry: { sleep } }).embed(['hello'], 'query', signal));
      expect(failure).toMatchObject({ code: 'MODEL_RATE_LIMITED' });
      expect(waits).toEqual([7_000]);
    });

    test.each<[string, Script, string]>([
      [
        'a key that is not accepted',
        [status(401, {}, { error: { message: `bad key ${canaryKey}` } })],
        'MODEL_REJECTED',
      ],
      ['an unknown model', [status(404)], 'MODEL_REJECTED'],
      [
        'a text that is too long',
        [status(400, {}, { error: { message: 'maximum context length is 8191 tokens' } })],
        'CONTEXT_TOO_LONG',
      ],
    ])('gives up immediately on %s, with our own message', async (_name, failure, code) => {
      scripted.respondWith(failure);
      const error = await failureOf(open(wire).embed(['hello'], 'document', signal));
      expect(error).toBeInstanceOf(ModelError);
      expect(error).toMatchObject({ code });
      expect((error as Error).message).not.toMatch(/maximum context|bad key|conversation/);
      expect(everythingIn(error)).not.toContain(canaryKey);
      expect(scripted.requests).toHaveLength(1);
    });

    test('gives up on a provider that stays silent', async () => {
      // This loads the library, so that only the provider is slow.
      await open(wire).embed(['hello'], 'document', signal);
      scripted.reset();
      scripted.respondWith([hang]);
      const limits = { documentMs: 200, queryMs: 200 };
      const error = await failureOf(open(wire, { limits }).embed(['hello'], 'document', signal));
      expect(error).toMatchObject({ code: 'MODEL_UNAVAILABLE' });
      expect(scripted.requests).toHaveLength(3);
      scripted.reset();
      scripted.respondWith([hang]);
      await failureOf(open(wire, { limits }).embed(['hello'], 'query', signal));
      expect(scripted.requests).toHaveLength(1);
    });

    test('ends when it is aborted, with the given reason', async () => {
      scripted.respondWith([hang]);
      const controller = new AbortController();
      const embedding = failureOf(open(wire).embed(['hello'], 'document', controller.signal));
      await expect.poll(() => scripted.requests.length).toBe(1);
      controller.abort(new Error('enough'));
      expect(await embedding).toMatchObject({ message: 'enough' });
      expect(await scripted.requests[0]?.closedEarly).toBe(true);
    });
  });

  test('Google is sent the purpose of the text and the size of the vectors', async () => {
    const embedder = open('google-embeddings');
    await embedder.embed(['a passage'], 'document', signal);
    await embedder.embed(['a question'], 'query', signal);
    expect(scripted.requests.map(({ body }) => body)).toMatchObject([
      { taskType: 'RETRIEVAL_DOCUMENT', outputDimensionality: 1536 },
      { taskType: 'RETRIEVAL_QUERY', outputDimensionality: 1536 },
    ]);
  });

  test.each<[string, string]>([
    ['too few', '{"data":[{"index":0,"embedding":[1,0]}]}'],
    ['two for one text', '{"data":[{"index":1,"embedding":[1,0]},{"index":1,"embedding":[1,0]}]}'],
    ['invalid indexes', '{"data":[{"index":-1,"embedding":[1,0]},{"index":7,"embedding":[1,0]}]}'],
    ['no numbers', '{"data":[{"index":0,"embedding":["a"]},{"index":1,"embedding":["b"]}]}'],
    ['only zeros', '{"data":[{"index":0,"embedding":[0,0]},{"index":1,"embedding":[0,0]}]}'],
    ['different sizes', '{"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[1,0,0]}]}'],
    ['null', '{"data":[null,null]}'],
  ])('an answer with %s is not taken', async (_name, answer) => {
    scripted.respondWith([raw(answer)]);
    const embedder = registry({ model: 'openai/some-model' }).current();
    const error = await failureOf(embedder.embed(['one', 'two'], 'document', signal));
    expect(error).toMatchObject({ code: 'MODEL_UNAVAILABLE' });
  });

  test('base64 is read like numbers, and a missing token count is estimated', async () => {
    const bytes = Buffer.from(Float32Array.of(3, 4).buffer).toString('base64');
    scripted.respondWith([raw(JSON.stringify({ data: [{ embedding: bytes }] }))]);
    const embedder = registry({ model: 'openai/some-model' }).current();
    expect(embedder.dimensions).toBeUndefined();
    const { vectors, inputTokens } = await embedder.embed(['hello there'], 'query', signal);
    expect([...(vectors[0] ?? [])]).toEqual([0.6, 0.8].map(Math.fround));
    expect(inputTokens).toBeGreaterThan(0);
    expect(embedder.dimensions).toBe(2);
  });

  test('a rejected response does not determine the size of the vectors', async () => {
    const embedder = registry({ model: 'openai/some-model' }).current();
    for (const broken of ['[]', '[0,0,0]', '["a"]']) {
      scripted.respondWith([raw(`{"data":[{"embedding":${broken}}]}`)]);
      await failureOf(embedder.embed(['one'], 'document', signal));
      expect(embedder.dimensions).toBeUndefined();
    }
    scripted.respondWith([raw('{"data":[{"embedding":[3,4]}]}')]);
    expect((await embedder.embed(['one'], 'document', signal)).vectors).toHaveLength(1);
  });

  test.each(['1.5', '-1', '1e300', '"7"', 'null'])('a token count of %s is ignored', async (count) => {
    scripted.respondWith([raw(`{"data":[{"embedding":[3,4]}],"usage":{"prompt_tokens":${count}}}`)]);
    const embedder = registry({ model: 'openai/some-model' }).current();
    expect((await embedder.embed(['hello there'], 'document', signal)).inputTokens).toBe(3);
  });

  test('a server without a key is not sent one', async () => {
    const providers = { openai: { baseUrl: scripted.url('openai') } };
    await registry({ providers, model: 'openai/local' }).current().embed(['hello'], 'document', signal);
    expect(scripted.requests[0]?.headers.authorization).toBeUndefined();
    expect(scripted.requests[0]?.body).toEqual({ model: 'local', input: ['hello'] });
  });

  describe('the default embedder', () => {
    const key = { apiKey: 'k' };
    test.each<[string, EmbedderRegistryOptions['providers'], string]>([
      ['nothing is configured', {}, 'builtin/sentence-encoder'],
      ['OpenAI is configured', { openai: key, google: key }, 'openai/text-embedding-3-small'],
      ['Google is configured', { google: key }, 'google/gemini-embedding-001'],
      // It may have no embeddings, or other models.
      [
        'a compatible server is configured',
        { openai: { baseUrl: 'http://127.0.0.1:1/v1' } },
        'builtin/sentence-encoder',
      ],
    ])('when %s', (_name, providers, expected) => {
      expect(registry({ providers }).current().id).toBe(expected);
    });

    test('a model of an unconfigured provider prevents the start, with the name of the setting', () => {
      for (const model of ['google/gemini-embedding-001', 'anthropic/claude', 'nobody/model']) {
        expect(() => registry({ providers: { openai: key }, model })).toThrow(/SVC_EMBEDDING_MODEL/);
      }
    });

    test('an earlier model can still be used as long as its provider is configured', () => {
      const embedders = registry({ model: 'openai/text-embedding-3-large' });
      expect(embedders.find('google/gemini-embedding-001')?.id).toBe('google/gemini-embedding-001');
      expect(embedders.find('builtin/sentence-encoder')).toBeDefined();
      expect(registry({ providers: {} }).find('openai/text-embedding-3-small')).toBeUndefined();
    });
  });
});
