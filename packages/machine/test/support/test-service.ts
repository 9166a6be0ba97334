import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HelloFrame, MachineFrame, OperationFrame, Outcome } from '@svc/contract/machine-protocol';
import { type WebSocket, WebSocketServer } from 'ws';

export const testKey = `svc_mk_${'a'.repeat(43)}`;
export const machineId = '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8ea1';

/** The service's end of one connection. */
export interface Link {
  socket: WebSocket;
  hello: HelloFrame;
  frames: MachineFrame[];
  send(frame: object): void;
  /** Sends the operation and waits for its result on this connection. */
  perform(operation: Partial<OperationFrame> & Pick<OperationFrame, 'id' | 'name'>): Promise<Outcome>;
  /** How many results came for this id. */
  resultsOf(id: string): Outcome[];
  closed: Promise<void>;
}

export interface TestService {
  url: string;
  /** The next connection, or an earlier one that was not taken yet. */
  accept(): Promise<Link>;
  /** What the next requests to connect are answered with instead of an upgrade. */
  refuseWith(status: number | undefined, headers?: Record<string, string>): void;
  attempts(): number;
  close(): Promise<void>;
}

/** A service that speaks the protocol and does what a test says. */
export async function startTestService(): Promise<TestService> {
  const links: Link[] = [];
  const takers: ((link: Link) => void)[] = [];
  let refusal: { status: number; headers: Record<string, string> } | undefined;
  let attempts = 0;
  const server = createServer((request, response) => {
    const isAccepted = request.headers.authorization === `Bearer ${testKey}`;
    if (request.url !== '/api/machines/whoami') response.writeHead(404).end('{}');
    else if (!isAccepted) response.writeHead(401).end('{"success":false}');
    else response.end(JSON.stringify({ id: machineId, name: 'ada\u001b[2Jlaptop' }));
  });
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    attempts += 1;
    const isAccepted = request.headers.authorization === `Bearer ${testKey}`;
    const refused = refusal ?? (isAccepted ? undefined : { status: 401, headers: {} });
    if (refused) {
      const headers = Object.entries(refused.headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.end(`HTTP/1.1 ${refused.status} Refused\r\n${headers.join('')}content-length: 0\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => welcome(webSocket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  function welcome(socket: WebSocket): void {
    const frames: MachineFrame[] = [];
    socket.on('message', (data) => {
      const frame = JSON.parse((data as Buffer).toString()) as MachineFrame;
      if (frame.type !== 'hello') return frames.push(frame);
      const link = createLink(socket, frame, frames);
      link.send({ type: 'welcome', machine: { id: machineId, name: 'ada-laptop' } });
      const taker = takers.shift();
      if (taker) taker(link);
      else links.push(link);
      return undefined;
    });
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async accept() {
      return links.shift() ?? new Promise((resolve) => takers.push(resolve));
    },
    refuseWith(status, headers = {}) {
      refusal = status === undefined ? undefined : { status, headers };
    },
    attempts: () => attempts,
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function createLink(socket: WebSocket, hello: HelloFrame, frames: MachineFrame[]): Link {
  const send = (frame: object) => socket.send(JSON.stringify(frame));
  const resultsOf = (id: string) =>
    frames.flatMap((frame) => (frame.type === 'result' && frame.id === id ? [frame.outcome] : []));
  return {
    socket,
    hello,
    frames,
    send,
    resultsOf,
    async perform(operation) {
      const before = resultsOf(operation.id).length;
      send(operationFrame(operation));
      for (;;) {
        const outcome = resultsOf(operation.id)[before];
        if (outcome) return outcome;
        await once(socket, 'message');
      }
    },
    closed: once(socket, 'close').then(() => undefined),
  };
}

export function operationFrame(
  operation: Partial<OperationFrame> & Pick<OperationFrame, 'id' | 'name'>,
): OperationFrame {
  return {
    type: 'operation',
    workdir: '/',
    arguments: {},
    approval: { id: operation.id, by: 'member:0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8ec3' },
    requested_by: { bot: 'Fixer', conversation_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8eff' },
    ...operation,
  };
}
