import {
  type CancelFrame,
  maxTextCharacters,
  type OperationFrame,
  type ProgressFrame,
  type ResultFrame,
} from '@svc/contract/machine-protocol';
import type { CommandKind, NodeCommands } from '../../nodes/node-commands.ts';
import type { Connections } from '../machine-connections.ts';

interface FrameToMachine {
  machineId: string;
  connectionId: string;
  frame: OperationFrame | CancelFrame;
}

interface FrameOfMachine {
  machineId: string;
  frame: ProgressFrame | ResultFrame;
}

/** To the node that a machine is connected to. */
export const toMachine: CommandKind<FrameToMachine> = { name: 'to machine' };
/** To a node that waits for a machine. */
export const fromMachine: CommandKind<FrameOfMachine> = { name: 'from machine' };

/** How long progress is collected before it is sent to another node. */
const progressEveryMs = 200;
/** A node that still waits sends its operation again long before this. */
const forgetAfterMs = 120_000;

/** An operation that other nodes wait for. */
interface Passed {
  machineId: string;
  operationId: string;
  connectionId: string;
  /** The nodes that wait for it, and when they last sent it. */
  nodes: Map<string, number>;
  progress: string;
}

/** Connects other nodes to the machines of this one. */
export function createRelay(connections: Pick<Connections, 'find'>, { send }: Pick<NodeCommands, 'send'>) {
  const passed = new Map<string, Passed>();
  let timer: NodeJS.Timeout | undefined;

  function flush({ machineId, operationId, nodes, progress }: Passed): void {
    if (progress === '') return;
    const frame = { type: 'progress', id: operationId, text: progress } as const;
    for (const node of nodes.keys()) send(fromMachine, node, { machineId, frame }, { isDispensable: true });
  }

  function flushAll(): void {
    timer = undefined;
    for (const operation of passed.values()) {
      flush(operation);
      operation.progress = '';
    }
  }

  function forgetExpired(): void {
    const oldest = performance.now() - forgetAfterMs;
    for (const [key, { nodes }] of passed) {
      for (const [node, sentAt] of nodes) if (sentAt < oldest) nodes.delete(node);
      if (nodes.size === 0) passed.delete(key);
    }
  }

  return {
    /** Passes a frame of another node on to a machine that is connected here. */
    pass({ machineId, connectionId, frame }: FrameToMachine, from: string): void {
      const connection = connections.find(machineId);
      // The sender looks for the machine again as soon as it has another connection.
      if (connection?.connectionId !== connectionId) return;
      if (frame.type === 'operation') {
        forgetExpired();
        const key = keyOf(machineId, frame.id);
        const { nodes = new Map<string, number>(), progress = '' } = passed.get(key) ?? {};
        nodes.set(from, performance.now());
        passed.set(key, { machineId, operationId: frame.id, connectionId, nodes, progress });
      }
      connection.send(frame);
    },
    /** Returns a frame of a machine to the other nodes that wait for it. */
    answer(machineId: string, frame: ProgressFrame | ResultFrame): void {
      const key = keyOf(machineId, frame.id);
      const operation = passed.get(key);
      if (!operation) return;
      if (frame.type === 'progress') {
        // What does not fit into one frame is dropped until the next batch.
        operation.progress = (operation.progress + frame.text).slice(0, maxTextCharacters);
        timer ??= setTimeout(flushAll, progressEveryMs).unref();
        return;
      }
      flush(operation);
      passed.delete(key);
      for (const node of operation.nodes.keys()) send(fromMachine, node, { machineId, frame });
    },
    /** A connection has closed: the nodes that wait for its machine send their operations to where it connects next. */
    forget(connectionId: string): void {
      for (const [key, operation] of passed) if (operation.connectionId === connectionId) passed.delete(key);
    },
    close: (): void => clearTimeout(timer),
  };
}

/** With the machine, so that no machine can answer for another. */
function keyOf(machineId: string, operationId: string): string {
  return `${machineId} ${operationId}`;
}
