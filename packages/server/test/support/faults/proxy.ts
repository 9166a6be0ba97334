import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { TestDatabase } from '../test-database.ts';

export interface DatabaseProxy {
  /** What a process needs to use the database through the proxy. */
  environment: TestDatabase['environment'];
  /**
   * PostgreSQL executes the next message that contains this text, but its answer never arrives. With `after`, only on a
   * connection that has since sent that text.
   */
  loseAnswerTo(text: string, options?: { after?: string }): { sent: Promise<void> };
  /**
   * From now on no byte passes in either direction, on connections whose first message has this text (such as their name) or on
   * all of them, new ones too. Returns a function that lets everything pass again.
   */
  freeze(text?: string): () => void;
  /** Breaks the connections whose answers were lost: only then does the service notice. */
  breakLost(): void;
  close(): Promise<void>;
}

interface Link {
  client: Socket;
  server: Socket;
  isLost: boolean;
  /** The first message of the client, with its name. */
  greeting: string;
}

interface Trap {
  after: string | undefined;
  armed: Set<Link>;
  spring(): void;
}

/** Stands between a service and PostgreSQL's Unix socket. */
export async function startDatabaseProxy(store: TestDatabase): Promise<DatabaseProxy> {
  const { host, port, user, database } = store.connection;
  const links = new Set<Link>();
  const traps = new Map<string, Trap>();
  let frozen: { text: string | undefined } | undefined;
  const freezeIfDue = (link: Link) => {
    if (!frozen || (frozen.text !== undefined && !link.greeting.includes(frozen.text))) return;
    link.client.pause();
    link.server.pause();
  };
  const proxy = createServer((client) => {
    const server = connect(join(String(host), `.s.PGSQL.${port}`));
    const link = { client, server, isLost: false, greeting: '' };
    links.add(link);
    client.once('data', (bytes) => {
      link.greeting = bytes.toString('latin1');
      freezeIfDue(link);
    });
    client.on('data', (bytes) => {
      for (const [text, trap] of traps) {
        const isArmed = trap.after === undefined || trap.armed.has(link);
        if (trap.after !== undefined && bytes.includes(trap.after)) trap.armed.add(link);
        if (!isArmed || !bytes.includes(text)) continue;
        traps.delete(text);
        link.isLost = true;
        trap.spring();
      }
      server.write(bytes);
    });
    server.on('data', (bytes) => {
      if (!link.isLost) client.write(bytes);
    });
    for (const [socket, peer] of [
      [client, server],
      [server, client],
    ] as const) {
      socket.on('error', () => undefined);
      socket.once('close', () => {
        peer.destroy();
        links.delete(link);
      });
    }
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');
  return {
    environment: {
      ...store.environment,
      DATABASE_URL: `postgres://${user}@127.0.0.1:${address.port}/${database}`,
    },
    loseAnswerTo(text, { after } = {}) {
      const springing = Promise.withResolvers<void>();
      traps.set(text, { after, armed: new Set(), spring: () => springing.resolve() });
      return { sent: springing.promise };
    },
    freeze(text) {
      frozen = { text };
      for (const link of links) freezeIfDue(link);
      return () => {
        frozen = undefined;
        for (const { client, server } of links) {
          client.resume();
          server.resume();
        }
      };
    },
    breakLost() {
      for (const link of links) if (link.isLost) link.client.destroy();
    },
    async close() {
      for (const { client } of links) client.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
