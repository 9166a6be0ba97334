import { once } from 'node:events';
import { createServer } from 'node:net';
import { clearStaleLock } from './clear-stale-lock.ts';
import type { EmbeddedContext } from './context.ts';
import type { Owner } from './data-directory.ts';
import type { Listening } from './server-settings.ts';
import { prepareSocketDirectory, socketDirectoryFor, socketPath, socketPort } from './socket-directory.ts';

/** Where a new server shall listen; on the loopback at `formerPort`, which open pools know, if there is one. */
export async function chooseListening(
  context: EmbeddedContext,
  owner: Owner | undefined,
  formerPort: number | undefined,
): Promise<Listening> {
  if (context.transport === 'loopback') return { loopbackPort: formerPort ?? (await findFreePort()) };
  const socketDirectory = socketDirectoryFor(context.directory);
  await prepareSocketDirectory(socketDirectory, owner);
  await clearStaleLock(`${socketPath(socketDirectory, socketPort)}.lock`, context.directory.cluster);
  return { socketDirectory, port: socketPort };
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new TypeError('A TCP server has a port.');
  return address.port;
}
