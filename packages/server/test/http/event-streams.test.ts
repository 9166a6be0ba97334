import { once } from 'node:events';
import { fastify } from 'fastify';
import { expect, it } from 'vitest';
import { createEventStreams } from '../../src/http/event-streams.ts';

it('keeps nothing of a reader that disconnected before its stream started', async () => {
  const streams = createEventStreams();
  const app = fastify();
  app.decorateRequest('leaveQueue', () => undefined);
  const arrived = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<number>();
  app.get('/', async (_request, reply) => {
    const gone = once(reply.raw, 'close');
    arrived.resolve();
    await gone;
    const stream = streams.open(reply, 'channel');
    let closes = 0;
    stream.onClose(() => {
      closes += 1;
    });
    stream.send([{ sequence: 1, type: 'x', data: {} }]);
    await stream.drained();
    stream.end();
    closed.resolve(closes);
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const hangUp = new AbortController();
  const asked = fetch(url, { signal: hangUp.signal }).catch(() => undefined);
  await arrived.promise;
  hangUp.abort();
  await asked;
  expect(await closed.promise).toBe(1);
  expect(streams.count).toBe(0);
  streams.beat();
  await app.close();
});
