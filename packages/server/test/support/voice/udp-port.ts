import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** The first of `count` UDP ports in a row that nothing listens on; even, as audio wants it. */
export async function freeUdpPorts(count = 1): Promise<number> {
  for (;;) {
    const first = randomInt(10_000, 15_900) * 2;
    const free = await Promise.all(Array.from({ length: count }, (_value, index) => isFree(first + index)));
    if (free.every(Boolean)) return first;
  }
}

async function isFree(port: number): Promise<boolean> {
  const socket = createSocket('udp4');
  try {
    socket.bind(port, '127.0.0.1');
    await once(socket, 'listening');
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  } finally {
    socket.close();
  }
}
