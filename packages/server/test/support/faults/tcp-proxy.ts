import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** `open` passes everything on, `cut` refuses, `held` accepts and forwards nothing, `slow` delays every chunk. */
export type ProxyMode = 'open' | 'cut' | 'held' | 'slow';

export interface TcpProxy {
  port: number;
  set(mode: ProxyMode): void;
  /** Breaks every connection, as a firewall that forgot them. */
  breakAll(): void;
  close(): Promise<void>;
}

const delayMs = 40;

/** Stands between one node and one of its servers. */
export async function startTcpProxy(connectToServer: () => Socket): Promise<TcpProxy> {
  let mode: ProxyMode = 'open';
  let opening = Promise.withResolvers<void>();
  const sockets = new Set<Socket>();

  const server = createServer((client) => {
    track(client);
    if (mode === 'cut') client.destroy();
    else void link(client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.');

  async function link(client: Socket): Promise<void> {
    client.pause();
    await passing();
    if (client.destroyed) return;
    const upstream = connectToServer();
    track(upstream);
    forward(client, upstream);
    forward(upstream, client);
  }

  /** Resolves while nothing is held back. */
  async function passing(): Promise<void> {
    while (mode === 'held') await opening.promise;
    if (mode === 'slow') await sleep(delayMs);
  }

  function track(socket: Socket): void {
    sockets.add(socket);
    // Resets are expected: closing is what matters.
    socket.on('error', () => undefined);
    socket.once('close', () => void sockets.delete(socket));
  }

  function forward(from: Socket, to: Socket): void {
    /** What was held back, in order. */
    let order: Promise<void> | undefined;
    let waiting = 0;
    const write = (chunk: Buffer) => {
      if (!to.destroyed && !to.write(chunk)) {
        from.pause();
        to.once('drain', () => from.resume());
      }
    };
    async function writeLater(chunk: Buffer, before: Promise<void> | undefined): Promise<void> {
      await before;
      await passing();
      write(chunk);
      waiting -= 1;
      if (waiting === 0) order = undefined;
    }
    from.on('data', (chunk: Buffer) => {
      if (mode === 'open' && waiting === 0) return write(chunk);
      waiting += 1;
      order = writeLater(chunk, order);
    });
    from.once('close', () => void (order ?? Promise.resolve()).then(() => to.destroySoon()));
    from.resume();
  }

  function breakAll(): void {
    for (const socket of sockets) socket.destroy();
  }

  return {
    port: address.port,
    set(wanted) {
      mode = wanted;
      if (wanted === 'cut') breakAll();
      opening.resolve();
      opening = Promise.withResolvers();
    },
    breakAll,
    async close() {
      server.close();
      breakAll();
      await once(server, 'close');
    },
  };
}
