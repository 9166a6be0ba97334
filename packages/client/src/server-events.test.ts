import { expect, it } from 'vitest';
import { readServerEvents, type ServerEvent } from './server-events.ts';

const encode = (text: string) => new TextEncoder().encode(text);

function streamOf(...chunks: (string | Uint8Array)[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(typeof chunk === 'string' ? encode(chunk) : chunk);
      controller.close();
    },
  });
}

async function readBatches(body: ReadableStream<Uint8Array>): Promise<ServerEvent[][]> {
  const batches: ServerEvent[][] = [];
  for await (const batch of readServerEvents(body)) batches.push(batch);
  return batches;
}

async function read(...chunks: (string | Uint8Array)[]): Promise<ServerEvent[]> {
  return (await readBatches(streamOf(...chunks))).flat();
}

it('reads the same events wherever the bytes are split', async () => {
  const bytes = encode(
    [
      '\uFEFFretry: 800\n\n',
      ':\n\n',
      'id: 7\nevent: message.completed\ndata: {"message":{"content":"Grüße: 天気"}}\n\n',
      'event: message.delta\r\ndata: {"text":"a"}\r\n\r\n',
      'event: message.delta\rdata: {"text":"b"}\r\r',
      'event: message.delta\ndata: {"text":"cut o',
    ].join(''),
  );
  const whole = await read(bytes);
  expect(whole).toEqual([
    { id: 7, type: 'message.completed', data: { message: { content: 'Grüße: 天気' } } },
    { id: undefined, type: 'message.delta', data: { text: 'a' } },
    { id: undefined, type: 'message.delta', data: { text: 'b' } },
  ]);
  for (let at = 0; at <= bytes.length; at += 1) {
    expect(await read(bytes.subarray(0, at), bytes.subarray(at))).toEqual(whole);
  }
  expect(await read(...Array.from(bytes, (byte) => new Uint8Array([byte])))).toEqual(whole);
});

it.each([
  ['data: 1\n\n', { id: undefined, type: 'message', data: 1 }],
  ['data:1\nevent:a\nid:2\n\n', { id: 2, type: 'a', data: 1 }],
  ['data: [1,\ndata: 2]\n\n', { id: undefined, type: 'message', data: [1, 2] }],
  [
    'event: a\nevent\nid: x\ndata: 1\nother: field\ndata2: 5\n\n',
    { id: undefined, type: 'message', data: 1 },
  ],
])('reads %j as the standard says', async (text, event) => {
  expect(await read(text)).toEqual([event]);
});

it.each(['event: a\n\n', 'id: 4\ndata\n\n', ': comment\n\n', '\n\n\n', 'data: 1\n'])(
  'finds no event in %j',
  async (text) => expect(await read(text)).toEqual([]),
);

it('does not give an event the name or the number of the one before', async () => {
  expect(await read('id: 3\nevent: a\n\ndata: 1\n\n')).toEqual([{ id: undefined, type: 'message', data: 1 }]);
});

it('reads line separators of Unicode as text', async () => {
  const data = { text: 'one\u2028two\u2029three' };
  expect(await read(`event: message.delta\ndata: ${JSON.stringify(data)}\n\n`)).toMatchObject([{ data }]);
});

it('reports every piece that arrives, because a connection that is silent may be dead', async () => {
  const batches = await readBatches(streamOf(':\n\n', 'data: 1\n\ndata: 2\n\n'));
  expect(batches.map((batch) => batch.length)).toEqual([0, 2]);
});

it('closes the connection when its reader stops early', async () => {
  let isClosed = false;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encode('data: 1\n\n')),
    cancel: () => {
      isClosed = true;
    },
  });
  for await (const batch of readServerEvents(body)) if (batch.length > 0) break;
  expect(isClosed).toBe(true);
});

it('throws when the connection breaks', async () => {
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new Error('The connection broke.')),
  });
  await expect(readServerEvents(body).next()).rejects.toThrow('The connection broke.');
});

it.each(['x'.repeat(2 ** 20), `data: ${'x'.repeat(2 ** 20)}\n`])(
  'ends a stream whose event does not end (%#)',
  async (piece) => {
    const chunk = encode(piece);
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1;
        controller.enqueue(chunk);
      },
    });
    await expect(readBatches(body)).rejects.toThrow('too long');
    expect(sent).toBeLessThan(70);
  },
);
