import { pino } from 'pino';
import { afterAll, describe, expect, test } from 'vitest';
import {
  createSentenceEncoder,
  type SentenceEncoderOptions,
} from '../../src/models/embeddings/builtin/sentence-encoder.ts';
import { createEmbedder, defaultEmbeddingLimits } from '../../src/models/embeddings/create-embedder.ts';
import type { Embedder } from '../../src/models/embeddings/embedder.ts';
import { noObserver } from '../../src/models/providers/provider-observer.ts';
import { defaultRetryPolicy } from '../../src/models/retry.ts';
import { failureOf } from './support.ts';

const signal = new AbortController().signal;
const crashing = new URL('./crashing-encoder-worker.ts', import.meta.url);

describe('the built-in sentence encoder', () => {
  interface Encoder {
    embedder: Embedder;
    stop(): Promise<void>;
  }
  const opened: Encoder[] = [];
  const logged: string[] = [];

  function open(options: Partial<SentenceEncoderOptions> = {}): Encoder {
    const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) });
    const { embed, stop } = createSentenceEncoder({ log, ...options });
    const embedder = createEmbedder({
      identity: { provider: 'builtin', modelName: 'sentence-encoder', secrets: [] },
      dimensions: 512,
      maxCharacters: 480,
      batchSize: 2,
      isFree: true,
      attempt: embed,
      retry: { ...defaultRetryPolicy, attempts: 1 },
      limits: { ...defaultEmbeddingLimits, queryMs: 30_000 },
      observer: noObserver,
    });
    opened.push({ embedder, stop });
    return { embedder, stop };
  }
  /** Loading it takes a second, so the tests that need no options share one. */
  const { embedder: usual } = open();

  afterAll(async () => {
    for (const { stop } of opened) await stop();
  });

  const cosine = (one: Float32Array | undefined, other: Float32Array | undefined) =>
    Array.from(one ?? []).reduce((sum, value, place) => sum + value * (other?.[place] ?? 0), 0);

  test('recognises similar meanings', async () => {
    const texts = ['How do I get a refund?', 'Can I have my money back?', 'Penguins live in Antarctica.'];
    const { vectors, inputTokens } = await usual.embed(texts, 'document', signal);
    expect(vectors.map(({ length }) => length)).toEqual([512, 512, 512]);
    expect(cosine(vectors[0], vectors[1])).toBeGreaterThan(cosine(vectors[0], vectors[2]) + 0.2);
    expect(cosine(vectors[0], vectors[0])).toBeCloseTo(1, 5);
    expect(inputTokens).toBe(0);
  });

  test('accepts any text', async () => {
    const texts = ['', '日本語のテキスト', '🐝', 'x'.repeat(10_000), '\ud800', '\0'];
    const { vectors } = await usual.embed(texts, 'document', signal);
    expect(vectors).toHaveLength(texts.length);
  });

  test('is unloaded when idle, and starts again when it is used', async () => {
    const { embedder } = open({ idleMs: 1 });
    const [first] = (await embedder.embed(['hello'], 'document', signal)).vectors;
    const [again] = (await embedder.embed(['hello'], 'document', signal)).vectors;
    expect(cosine(first, again)).toBeCloseTo(1, 5);
  });

  test('a crash is reported to the waiting caller and to the log, and the next text starts it again', async () => {
    logged.length = 0;
    const { embedder } = open({ program: crashing });
    const error = await failureOf(embedder.embed(['crash'], 'document', signal));
    expect(error).toMatchObject({ code: 'MODEL_UNAVAILABLE', message: 'The built-in embeddings failed.' });
    expect(logged.join()).toContain('The built-in embeddings failed');
    expect((await embedder.embed(['hello'], 'document', signal)).vectors).toHaveLength(1);
  });

  test('waits for WebAssembly, however long it takes to start', async () => {
    const { embedder } = open({ program: new URL('./slow-encoder-worker.ts', import.meta.url) });
    expect((await embedder.embed(['hello'], 'document', signal)).vectors).toHaveLength(1);
  });

  test('a crash does not affect callers that did not cause it', async () => {
    const { embedder } = open({ program: crashing });
    const outcomes = await Promise.allSettled(
      ['one', 'crash', 'two'].map((text) => embedder.embed([text], 'document', signal)),
    );
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  test('questions go before documents', async () => {
    const order: string[] = [];
    const embed = async (name: string, purpose: 'document' | 'query') => {
      await usual.embed([name], purpose, signal);
      order.push(name);
    };
    await Promise.all([
      embed('first', 'document'),
      embed('second', 'document'),
      embed('third', 'document'),
      embed('question', 'query'),
    ]);
    expect(order).toEqual(['first', 'question', 'second', 'third']);
  });

  test('refuses texts when its queue is full', async () => {
    const { embedder } = open({ maxWaiting: 2 });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, (_, place) => embedder.embed([`text ${place}`], 'document', signal)),
    );
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused.map(({ reason }: { reason: unknown }) => reason)).toMatchObject([
      { message: 'The built-in embeddings are busy.' },
      { message: 'The built-in embeddings are busy.' },
    ]);
  });

  test('a text whose caller has aborted is not embedded', async () => {
    const controller = new AbortController();
    const first = usual.embed(['first'], 'document', signal);
    const given = failureOf(usual.embed(['given up'], 'document', controller.signal));
    controller.abort(new Error('enough'));
    expect(await given).toMatchObject({ message: 'enough' });
    expect((await first).vectors).toHaveLength(1);
  });

  test('stopping fails the waiting calls', async () => {
    const { embedder, stop } = open();
    const waiting = [
      failureOf(embedder.embed(['one'], 'document', signal)),
      failureOf(embedder.embed(['two'], 'document', signal)),
    ];
    await stop();
    for (const error of await Promise.all(waiting))
      expect(error).toMatchObject({ code: 'MODEL_UNAVAILABLE' });
  });
});
