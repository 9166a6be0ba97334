import { once } from 'node:events';
import { basename } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { gunzipSync } from 'node:zlib';
import { findInstalledSpeech } from '@svc/local-speech/installed';
import { createRecogniser } from '@svc/local-speech/recogniser';
import { createSilero } from '@svc/local-speech/silero';
import { describe, expect, inject, it } from 'vitest';
import type { BodyMessage } from '../../src/discover/long-body.ts';
import { createOpenApiReader } from '../../src/discover/openapi/openapi-reader.ts';
import { childCommand } from '../../src/knowledge/extraction/child-command.ts';
import { explainEnd } from '../../src/knowledge/extraction/explain-end.ts';
import { packMessage } from '../../src/knowledge/extraction/extraction-message.ts';
import { usualLimits } from '../../src/knowledge/extraction/limits.ts';
import { runChild } from '../../src/knowledge/extraction/run-child.ts';
import { startIndexThread } from '../../src/knowledge/vector-index/in-process/index-thread.ts';
import { startEncoderThread } from '../../src/models/embeddings/builtin/encoder-thread.ts';
import { startCheckThread } from '../../src/validation/json-schema/threads/check-thread.ts';
import { modelFolder, recognitionQueue } from '../../src/voice/speech/local/local-speech.ts';
import { docx, pdf } from '../knowledge/documents.ts';
import { patienceMs } from '../support/patience.ts';

const { signal } = new AbortController();
/** Loading the sources may take long on a busy machine. */
const limits = { ...usualLimits, timeMs: patienceMs };

/** A clone starts them from their sources; the published package, and other tests, from the bundle. */
const places: [string, (file: string) => URL][] = [
  ['from their sources', (file) => new URL(`../../../${file}`, import.meta.url)],
  ['as they are published', (file) => pathToFileURL(`${inject('bundle')}/${basename(file, '.ts')}.mjs`)],
];

describe.each(places)('what the service starts, %s', (_, place) => {
  const program = (file: string) => place(`server/src/${file}`);

  async function answerOf(file: string, workerData: unknown): Promise<unknown> {
    const worker = new Worker(program(file), { workerData });
    const [answer] = await once(worker, 'message');
    await worker.terminate();
    return answer;
  }

  async function runFromSources(task: object, body: Uint8Array): Promise<string> {
    const entry = fileURLToPath(program('knowledge/extraction/child.ts'));
    const end = await runChild({
      command: childCommand(limits, entry),
      input: packMessage({ ...task, limits, length: body.length }, body),
      timeMs: limits.timeMs,
      outputBytes: 100_000,
      signal,
      onStart: undefined,
    });
    const answered = explainEnd(end, limits);
    if (answered instanceof Error) throw answered;
    return answered.body.toString();
  }

  it.each([
    ['a.txt', () => Buffer.from('Bees hum.')],
    ['a.html', () => Buffer.from('<p>Bees hum.</p>')],
    ['a.docx', () => docx('Bees', 'Bees hum.')],
    ['a.pdf', () => pdf('Bees', 'Bees hum.')],
  ])('the process that reads documents reads %s', async (filename, make) => {
    const task = { task: 'extract', filename, contentType: null, url: null };
    expect(await runFromSources(task, await make())).toContain('Bees hum.');
  });

  it('the process that reads documents splits them', async () => {
    const task = { task: 'split', title: null, workspaceId: 'one' };
    expect(await runFromSources(task, Buffer.from('Bees hum.'))).toContain('Bees hum.');
  });

  it('the thread that reads pages starts', async () => {
    const page = { html: '<title>Bees</title><p>Bees hum.</p>', address: 'https://bees.example/' };
    expect(await answerOf('pages/page-worker.ts', page)).toEqual({ title: 'Bees', markdown: 'Bees hum.' });
  });

  it('the thread that reads long bodies starts', async () => {
    const bytes = new TextEncoder().encode('{"documentation":"x"}');
    const message = (await answerOf('discover/long-body-worker.ts', { bytes })) as BodyMessage;
    expect(message).toMatchObject({ kind: 'read', body: { documentation: '…' } });
  });

  it('the thread that checks values starts', async () => {
    const thread = startCheckThread(program('validation/json-schema/threads/check-worker.ts'));
    expect(await thread.check({ schema: { type: 'string' }, value: 1 })).toHaveLength(1);
    await thread.stop();
  });

  it('the thread that drafts tools from documents starts', async () => {
    const read = createOpenApiReader(program('wiring/openapi-worker.ts'));
    const document = {
      openapi: '3.0.3',
      servers: [{ url: 'https://bees.example' }],
      paths: { '/hives': { get: { operationId: 'listHives' } } },
    };
    const source = { charset: 'utf-8', url: undefined, field: 'documentation', goal: undefined } as const;
    const reading = read(
      'one',
      { ...source, operations: undefined, bytes: Buffer.from(JSON.stringify(document)) },
      { signal, onProgress: () => undefined },
    );
    expect(await reading).toMatchObject({ drafted: { tools: [{ name: 'listHives' }] } });
  });

  it('the thread that prepares the reference starts', async () => {
    const script = (await answerOf('http/docs/reference-script-worker.ts', undefined)) as Uint8Array;
    expect(gunzipSync(script).length).toBeGreaterThan(1_000_000);
  });

  it('the thread that embeds texts starts', async () => {
    const thread = startEncoderThread(program('models/embeddings/builtin/encoder-worker.ts'));
    expect(await thread.encode(['Bees hum.'])).toMatchObject([{ length: 512 }]);
    await thread.stop();
  });

  it('the thread that searches vectors starts', async () => {
    const file = program('knowledge/vector-index/in-process/index-worker.ts');
    const thread = startIndexThread(file, () => undefined);
    const search = { type: 'search', space: 'one', botId: undefined, limit: 1 } as const;
    expect(await thread.ask({ ...search, vector: new Float32Array(512) })).toEqual([]);
    await thread.stop();
  });

  it('the processes that listen start', async () => {
    const { models } = findInstalledSpeech({ modelFolder });
    if (!models) throw new Error('`npm test` installs the models.');
    const silero = createSilero({
      models,
      program: place('local-speech/src/silero-program.ts'),
      stuckAfterMs: 480_000,
    });
    const judged = Promise.withResolvers<number>();
    const events = { onProbability: judged.resolve, onFailure: judged.reject };
    silero.open(8_000, events).judge(new Int16Array(256));
    expect(await judged.promise).toBeLessThan(0.5);
    silero.stop();
    const recogniser = createRecogniser({
      models,
      runFairly: recognitionQueue(),
      program: place('local-speech/src/recognition-program.ts'),
    });
    const session = recogniser.open(judged.reject);
    const recording = { sampleRate: 8_000, samples: new Int16Array(8_000) };
    expect(await session.recognise(recording, signal)).toBeTypeOf('string');
    recogniser.stop();
  });
});
