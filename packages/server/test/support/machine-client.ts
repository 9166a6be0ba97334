import { type MachineFrame, protocolVersion, type ServiceFrame } from '@svc/contract/machine-protocol';
import { WebSocket } from 'ws';
import { newId } from '../../src/lib/new-id.ts';

export interface MachineClient {
  socket: WebSocket;
  /** Every frame of the service. */
  received: ServiceFrame[];
  /** Resolves with the next frame of this type, or the first one that has come already. */
  receive<Type extends ServiceFrame['type']>(type: Type): Promise<Extract<ServiceFrame, { type: Type }>>;
  send(frame: MachineFrame): void;
  closed: Promise<{ code: number; reason: string }>;
  close(): Promise<void>;
}

export const hello = {
  type: 'hello' as const,
  protocol: protocolVersion,
  instance_id: newId(),
  version: '0.1.0',
  platform: 'linux',
  roots: ['/home/ada/shop'],
  sandbox: 'bubblewrap' as const,
};

/** The protocol's side of a daemon, without one. Resolves when the WebSocket is open. */
export async function openMachine(url: string, key: string): Promise<MachineClient> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/machines/connect`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const received: ServiceFrame[] = [];
  const waiting = new Set<() => void>();
  socket.on('message', (data: Buffer) => {
    received.push(JSON.parse(data.toString()) as ServiceFrame);
    for (const look of waiting) look();
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  // Tests look at how the connection was closed.
  socket.on('error', () => undefined);
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('unexpected-response', (_request, { statusCode }) => {
      reject(new Error(`The service answered ${statusCode}.`));
      socket.terminate();
    });
  });
  return {
    socket,
    received,
    receive(type) {
      return new Promise((resolve, reject) => {
        const look = () => {
          const found = received.find((frame) => frame.type === type);
          if (!found) return;
          waiting.delete(look);
          resolve(found as never);
        };
        waiting.add(look);
        look();
        void closed.then(({ code, reason }) => reject(new Error(`Closed with ${code}: ${reason}`)));
      });
    },
    send: (frame) => socket.send(JSON.stringify(frame)),
    closed,
    async close() {
      socket.close();
      await closed;
    },
  };
}

/** A machine that has introduced itself and was welcomed. */
export async function connectMachine(
  url: string,
  key: string,
  changes: Partial<typeof hello> = {},
): Promise<MachineClient> {
  const machine = await openMachine(url, key);
  machine.send({ ...hello, ...changes });
  await machine.receive('welcome');
  return machine;
}
