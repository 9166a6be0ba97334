import { once } from 'node:events';
import {
  type CancelFrame,
  type HelloFrame,
  type MachineFrame,
  type OperationFrame,
  type Outcome,
  protocolVersion,
  type ServiceFrame,
} from '@svc/contract/machine-protocol';
import { WebSocket } from 'ws';
import { newId } from '../../src/lib/new-id.ts';
import { until } from './faults/until.ts';

/** What happens to an operation that arrives for the first time: it gets an outcome, or is held until `finish`. */
export type Script = (operation: OperationFrame) => Outcome | 'hold';

export interface MachinePeer {
  /** Every frame that has arrived, on all connections. */
  received: (OperationFrame | CancelFrame)[];
  /** The ids of the operations that were carried out, each as often as it was. */
  carriedOut: string[];
  setScript(script: Script): void;
  /** Ends an operation that is held. */
  finish(id: string, outcome?: Outcome): void;
  /** Ends it without sending the result: it is lost with the connection. */
  finishSilently(id: string): void;
  send(frame: MachineFrame): void;
  /** From now on frames are read and not answered. */
  fallSilent(): void;
  /** Connects to a node, as a daemon that has just lost its other connection. Resolves when it is welcome. */
  connect(url: string): Promise<void>;
  disconnect(): Promise<void>;
  /** Forgets everything, as a daemon with a new state folder. */
  reinstall(): void;
  isConnected(): boolean;
  /** Waits for an operation or a cancellation. */
  receives(type: 'operation' | 'cancel', id?: string): Promise<void>;
}

export const done: Outcome = { status: 'ok', value: 'done' };

/** Speaks the daemon's side of the protocol with a journal in memory, and can fail in ways that no daemon should. */
export function createMachinePeer(key: string): MachinePeer {
  const received: (OperationFrame | CancelFrame)[] = [];
  const carriedOut: string[] = [];
  /** Operations without an outcome are in progress. */
  let journal = new Map<string, Outcome | undefined>();
  let instanceId = newId();
  let script: Script = () => done;
  let socket: WebSocket | undefined;
  let isSilent = false;

  function send(frame: MachineFrame): void {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame));
  }

  function finish(id: string, outcome = done): void {
    journal.set(id, outcome);
    send({ type: 'result', id, outcome });
  }

  function onOperation(operation: OperationFrame): void {
    const { id } = operation;
    const known = journal.get(id);
    if (known) return send({ type: 'result', id, outcome: known });
    if (journal.has(id)) return;
    journal.set(id, undefined);
    carriedOut.push(id);
    const outcome = script(operation);
    if (outcome !== 'hold') finish(id, outcome);
  }

  function onFrame(frame: ServiceFrame): void {
    if (frame.type === 'welcome') return;
    received.push(frame);
    if (isSilent) return;
    if (frame.type === 'operation') onOperation(frame);
    else if (!journal.get(frame.id)) finish(frame.id, { status: 'error', message: 'It was cancelled.' });
  }

  async function disconnect(): Promise<void> {
    const closing = socket;
    socket = undefined;
    if (!closing || closing.readyState === WebSocket.CLOSED) return;
    closing.terminate();
    await once(closing, 'close');
  }

  return {
    received,
    carriedOut,
    setScript(wanted) {
      script = wanted;
    },
    finish,
    finishSilently(id) {
      journal.set(id, done);
    },
    send,
    fallSilent() {
      isSilent = true;
    },
    async connect(url) {
      const address = `${url.replace(/^http/, 'ws')}/api/machines/connect`;
      const opened = new WebSocket(address, { headers: { authorization: `Bearer ${key}` } });
      // What matters is that it closes.
      opened.on('error', () => undefined);
      await once(opened, 'open');
      const welcome = Promise.withResolvers<void>();
      opened.once('close', (code) => welcome.reject(new Error(`The connection was closed: ${code}.`)));
      opened.on('message', (data: Buffer) => {
        const frame = JSON.parse(data.toString()) as ServiceFrame;
        if (opened !== socket && frame.type !== 'welcome') return;
        if (frame.type === 'welcome') {
          socket?.terminate();
          socket = opened;
          welcome.resolve();
        }
        onFrame(frame);
      });
      const hello: HelloFrame = {
        type: 'hello',
        protocol: protocolVersion,
        instance_id: instanceId,
        version: '1',
        platform: 'linux',
        roots: ['/project'],
        sandbox: 'none',
      };
      opened.send(JSON.stringify(hello));
      await welcome.promise;
    },
    disconnect,
    reinstall() {
      instanceId = newId();
      journal = new Map();
    },
    isConnected: () => socket?.readyState === WebSocket.OPEN,
    receives: (type, id) =>
      until(`the machine receives a frame: ${type}`, () =>
        received.some((frame) => frame.type === type && (id === undefined || frame.id === id)),
      ),
  };
}
