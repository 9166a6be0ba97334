import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { OpenReadersJob } from './job.ts';

const batchSize = 50;

/** Readers that take what comes and forget it: bare sockets, so that the memory is the server's own. */
export function createReaders() {
  const sockets = new Set<Socket>();

  async function openOne(url: URL, head: string): Promise<void> {
    const socket = connect(Number(url.port), url.hostname);
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    await once(socket, 'connect');
    socket.write(head);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    const status = answer.toString('latin1', 0, 12);
    if (status !== 'HTTP/1.1 200') throw new Error(`A reader was refused: ${status}`);
    socket.on('error', () => undefined);
    socket.resume();
  }

  return {
    async open({ url, headers, paths }: OpenReadersJob): Promise<number> {
      const target = new URL(url);
      const lines = Object.entries({ host: target.host, ...headers }).map(
        ([name, value]) => `${name}: ${value}\r\n`,
      );
      const waiting = paths.map((path) => `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
      const work = async () => {
        for (let head = waiting.pop(); head; head = waiting.pop()) await openOne(target, head);
      };
      await Promise.all(Array.from({ length: batchSize }, work));
      return sockets.size;
    },
    close(): number {
      const open = sockets.size;
      for (const socket of sockets) socket.destroy();
      return open;
    },
  };
}
