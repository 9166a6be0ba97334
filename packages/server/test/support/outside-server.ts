import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface OutsideServer {
  url: string;
  /** Closes even the connections whose requests were never answered. */
  close(): void;
}

/** An HTTP server for tools to call. */
export async function startOutsideServer(answer: RequestListener): Promise<OutsideServer> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
