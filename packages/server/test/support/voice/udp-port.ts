import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** The first of `count` UDP ports in a row that nothing listens on, by TCP neither: phones open both. Even, as audio wants it. */
export async function freeUdpPorts(count = 1): Promise<number> {
  for (;;) {
    const first = randomInt(10_000, 15_900) * 2;
    const free = await Promise.all(Array.from({ length: count }, (_value, index) => isFree(first + index)));
    if (free.every(Boolean)) return first;
  }
}

async function isFree(port: number): Promise<boolean> {
  const socket = createSocket('udp4');
  const server = createServer();
  try {
    socket.bind(port, '127.0.0.1');
    await once(socket, 'listening');
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  } finally {
    socket.close();
    server.close();
  }
}
