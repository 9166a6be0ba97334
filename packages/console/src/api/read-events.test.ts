import { expect, it } from 'vitest';
import { parseEvents, readEvents, type ServerEvent } from './read-events.ts';

it('reads events with and without a number, and skips comments', () => {
  const text =
    ': beat\n\nid: 3\nevent: turn.started\ndata: {"a":1}\n\nevent: message.delta\ndata: "x"\n\nid: 4\nev';
  expect(parseEvents(text)).toEqual({
    events: [
      { event: 'turn.started', id: 3, data: { a: 1 } },
      { event: 'message.delta', id: null, data: 'x' },
    ],
    rest: 'id: 4\nev',
  });
});

it('reads line separators of Unicode as text', () => {
  const text = JSON.stringify('one\u2028two\u2029three');
  expect(parseEvents(`data: ${text}\n\n`).events).toEqual([
    { event: 'message', id: null, data: 'one\u2028two\u2029three' },
  ]);
});

it('closes the connection when its reader stops early', async () => {
  let isClosed = false;
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('data: 1\n\n')),
    cancel: () => {
      isClosed = true;
    },
  });
  const events = readEvents(new Response(body));
  await events.next();
  await events.return(undefined);
  expect(isClosed).toBe(true);
});

it('puts together what arrives in pieces, even within a character', async () => {
  const bytes = new TextEncoder().encode('event: a\ndata: "ü"\n\nevent: b\ndata: 2\n\n');
  const body = new ReadableStream({
    start(controller) {
      for (const byte of bytes) controller.enqueue(new Uint8Array([byte]));
      controller.close();
    },
  });
  const read: ServerEvent[] = [];
  for await (const events of readEvents(new Response(body))) read.push(...events);
  expect(read).toEqual([
    { event: 'a', id: null, data: 'ü' },
    { event: 'b', id: null, data: 2 },
  ]);
});
