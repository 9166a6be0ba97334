import { once } from 'node:events';
import { createServer } from 'node:http';
import { maxFrameBytes, type Outcome } from '@svc/contract/machine-protocol';
import { pino } from 'pino';
import { WebSocketServer } from 'ws';
import type { Database } from '../../src/database/database.ts';
import { startListener } from '../../src/database/listener.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createConnections } from '../../src/machines/machine-connections.ts';
import { createMachineService, type MachineService } from '../../src/machines/machines.service.ts';
import { machineChangedChannel } from '../../src/machines/machines.store.ts';
import { createOperations, type Operations } from '../../src/machines/operations/create-operations.ts';
import { defaultTimes, type Times } from '../../src/machines/operations/times.ts';
import { commandsChannel, createNodeCommands } from '../../src/nodes/node-commands.ts';
import { announcePresence } from '../../src/nodes/presence.ts';

export interface MachineNode {
  nodeId: string;
  /** Where machines connect. */
  url: string;
  operations: Operations;
  machines: MachineService;
  logged: string[];
  /** Outcomes that were reported after they had been given up. */
  lateOutcomes: { id: string; outcome: Outcome }[];
  /** Operations whose late outcomes cannot be noted. */
  unnotable: Set<string>;
  /** Hands over, as a node does that gets SIGTERM. Repeated calls are harmless. */
  stop(): Promise<void>;
}

/** The machines feature of one node, without the rest of the service, so that tests can call it directly. */
export async function startMachineNode(database: Database, times: Partial<Times> = {}): Promise<MachineNode> {
  const logged: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) });
  const bus = { reach: undefined, onReach: () => () => undefined };
  const presence = await announcePresence({ database, log, bus, isAlone: false });
  const { nodeId } = presence;
  const connections = createConnections({ database, nodeId, log });
  const nameOfBot = async (_workspaceId: string, botId: string) => `Bot ${botId}`;
  const lateOutcomes: MachineNode['lateOutcomes'] = [];
  const unnotable = new Set<string>();
  const noteOutcome = async ({ id }: { id: string }, outcome: Outcome) => {
    if (unnotable.has(id)) throw new Error('This outcome cannot be noted.');
    return lateOutcomes.push({ id, outcome }) > 0;
  };
  const given = { nameOfBot, noteOutcome, clock: systemClock, times: { ...defaultTimes, ...times } };
  const nodeCommands = createNodeCommands({ database, log }, nodeId);
  const operations = createOperations({ database, connections, nodeCommands, presence, log, ...given });
  const machines = createMachineService({ database, connections, operations });
  const listener = await startListener({
    database,
    log,
    channels: {
      [machineChangedChannel](machineId) {
        connections.check(machineId);
        operations.onMachineChanged(machineId);
      },
      [commandsChannel](recipient) {
        if (recipient === nodeId) nodeCommands.collect();
      },
    },
    onConnected(isConnected) {
      connections.setListening(isConnected);
      if (!isConnected) return;
      nodeCommands.collect();
      operations.onListening();
    },
  });

  const http = createServer();
  const sockets = new WebSocketServer({ noServer: true, maxPayload: maxFrameBytes });
  http.on('upgrade', (request, socket, head) => {
    const key = request.headers.authorization?.replace('Bearer ', '') ?? '';
    machines.authenticate(key).then(
      (machine) =>
        sockets.handleUpgrade(request, socket, head, (opened) => {
          const handlers = connections.accept(machine, {
            send: (text) => opened.send(text),
            close: (code, reason) => opened.close(code, reason),
          });
          opened.on('message', (data, isBinary) => handlers.onFrame(data as Buffer, isBinary));
          opened.once('close', () => handlers.onClose());
        }),
      () => socket.destroy(),
    );
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.');

  let stopping: Promise<void> | undefined;
  async function stop(): Promise<void> {
    await operations.close();
    await connections.closeAll();
    await presence.stop();
    await listener.stop();
    await nodeCommands.close();
    for (const socket of sockets.clients) socket.terminate();
    http.close();
    http.closeAllConnections();
  }

  return {
    nodeId,
    url: `http://127.0.0.1:${address.port}`,
    operations,
    machines,
    logged,
    lateOutcomes,
    unnotable,
    stop() {
      stopping ??= stop();
      return stopping;
    },
  };
}
