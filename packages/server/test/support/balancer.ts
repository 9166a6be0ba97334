import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface Balancer {
  url: string;
  close(): Promise<void>;
}

/** A small load balancer: each new connection goes to the first node that reports that it is ready. */
export async function startBalancer(targets: readonly string[]): Promise<Balancer> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  };
  const server = createServer({ pauseOnConnect: true }, (client) => {
    keep(client);
    void forward(client);
  }).listen(0, '127.0.0.1');

  async function forward(client: Socket): Promise<void> {
    const target = await firstReady(targets);
    if (target === undefined) return void client.destroy();
    const { hostname, port } = new URL(target);
    const upstream = connect(Number(port), hostname);
    keep(upstream);
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => client.destroySoon());
    client.pipe(upstream);
    upstream.pipe(client);
    client.resume();
  }

  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The balancer has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

async function firstReady(targets: readonly string[]): Promise<string | undefined> {
  for (const target of targets) {
    const isReady = await fetch(`${target}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return target;
  }
  return undefined;
}
