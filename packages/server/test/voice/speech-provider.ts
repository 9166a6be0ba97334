import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';

type Behaviour = (response: ServerResponse) => void;

export interface SpeechProvider {
  url: string;
  /** Every request so far, oldest first. */
  asked: { method: string; path: string; headers: IncomingHttpHeaders }[];
  /** Sets its behaviour from now on. */
  behave(behaviour: Behaviour): void;
  close(): Promise<void>;
}

/** A stand-in for a speech provider's HTTP interface that knows every voice until told otherwise. */
export async function startSpeechProvider(): Promise<SpeechProvider> {
  let current = answering(200);
  const asked: SpeechProvider['asked'] = [];
  const server = createServer((request, response) => {
    asked.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers });
    current(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('A TCP server has a port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    asked,
    behave(behaviour) {
      current = behaviour;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

export function answering(status: number, headers: Record<string, string> = {}, body = '{}'): Behaviour {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(body);
  };
}

/** Accepts the request and never responds. */
export function silent(): void {
  // The caller's time limit has to end it.
}

export function cuttingOff(response: ServerResponse): void {
  response.destroy();
}
