import { expect, it } from 'vitest';
import { readServerEvents, type ServerEvent } from './server-events.ts';

const bytes = new TextEncoder().encode(
  [
    'retry: 800\n\n',
    ':\n\n',
    'id: 7\nevent: message.completed\ndata: {"message":{"content":"Grüße: 天気"}}\n\n',
    'event: message.delta\r\ndata: {"text":"a"}\r\n\r\n',
    'event: message.delta\ndata: {"text":"cut o',
  ].join(''),
);

async function read(chunks: Uint8Array[], stopAt = Number.POSITIVE_INFINITY): Promise<ServerEvent[]> {
  const events: ServerEvent[] = [];
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  await readServerEvents(body, (event) => events.push(event) >= stopAt);
  return events;
}

it('reads the same events wherever the bytes are split', async () => {
  const whole = await read([bytes]);
  expect(whole).toEqual([
    { id: 7, type: 'message.completed', data: { message: { content: 'Grüße: 天気' } } },
    { id: undefined, type: 'message.delta', data: { text: 'a' } },
  ]);
  for (let at = 0; at <= bytes.length; at += 1) {
    expect(await read([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole);
  }
});

it('ends when the callback has seen enough', async () => {
  expect(await read([bytes], 1)).toHaveLength(1);
});

it('reads line separators of Unicode as text', async () => {
  const data = { text: 'one\u2028two\u2029three' };
  const [event] = await read([
    new TextEncoder().encode(`event: message.delta\ndata: ${JSON.stringify(data)}\n\n`),
  ]);
  expect(event?.data).toEqual(data);
});
