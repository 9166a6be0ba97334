import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface CuttingProxy {
  url: string;
  /** How many event streams were cut so far. */
  cuts(): number;
  close(): Promise<void>;
}

const mark = 'text/event-stream';

/** Forwards bytes to a service. Each entry cuts the next event stream that many bytes after its content type. */
export async function startCuttingProxy(target: string, cutAfter: number[]): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  const waiting = [...cutAfter];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let passed = '';
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroySoon();
      });
    }
    client.on('data', (chunk) => void upstream.write(chunk));
    upstream.on('data', (chunk: Buffer) => {
      const start = passed.length;
      passed += chunk.toString('latin1');
      const stream = passed.indexOf(mark);
      const [limit] = waiting;
      const cutAt = stream === -1 || limit === undefined ? undefined : stream + mark.length + limit;
      if (cutAt === undefined || passed.length < cutAt) return void client.write(chunk);
      waiting.shift();
      client.write(chunk.subarray(0, Math.max(0, cutAt - start)));
      client.destroySoon();
      upstream.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    cuts: () => cutAfter.length - waiting.length,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
