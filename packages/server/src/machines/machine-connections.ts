import {
  closeCodes,
  type HelloFrame,
  type ProgressFrame,
  type ResultFrame,
} from '@svc/contract/machine-protocol';
import { type Repetition, repeat } from '../lib/repeat.ts';
import type { Services } from '../services.ts';
import { createDaemonConnection, type DaemonConnection, type MachineSocket } from './daemon-connection.ts';
import { machineStore } from './machines.store.ts';

/** A machine's daemon that is connected to this node. */
export type MachineConnection = Pick<
  DaemonConnection,
  'machineId' | 'workspaceId' | 'connectionId' | 'instanceId' | 'send'
>;

export interface ConnectionListener {
  onFrame(connection: MachineConnection, frame: ProgressFrame | ResultFrame): void;
  /** The machine is connected here: it is registered in the database and can be sent operations. */
  onOpen(connection: MachineConnection): void;
  onClose(connection: MachineConnection): void;
}

export type Connections = ReturnType<typeof createConnections>;

export interface ConnectingMachine {
  machineId: string;
  workspaceId: string;
  name: string;
  /** The connection that it had before. */
  connectionId: string | null;
}

const lookEveryMs = 1_000;
/** How many of these rounds pass between renewals of `last_seen_at`. */
const renewalRounds = 30;
const serviceRestart = 1012;
const tryAgainLater = 1013;

/** The machines whose daemons are connected to this node, one connection each. */
export function createConnections({ database, nodeId, log }: Pick<Services, 'database' | 'log' | 'nodeId'>) {
  /** Connected daemons, by machine. */
  const open = new Map<string, DaemonConnection>();
  /** Daemons that have not introduced themselves yet, at most one per machine. */
  const greeting = new Map<string, DaemonConnection>();
  /** Connections that have ended, but could not be removed from the database. */
  const leftBehind = new Set<DaemonConnection>();
  /** Per machine, so that the connection that is registered last is also the one that stays open. */
  const registering = new Map<string, Promise<void>>();
  const listeners = new Set<ConnectionListener>();
  let isListening = true;
  let isStopping = false;
  let hasConnected = false;
  let rounds: Repetition | undefined;
  let roundCount = 0;

  function inBackground(problem: string, work: () => Promise<void>): void {
    work().catch((error: unknown) => log.warn({ err: error }, problem));
  }

  /** One after the other for each machine. */
  function introduce(connection: DaemonConnection, previousId: string | null, hello: HelloFrame): void {
    const { machineId } = connection;
    const before = registering.get(machineId) ?? Promise.resolve();
    const current = before
      .then(() => register(connection, previousId, hello))
      .catch((error: unknown) => {
        log.warn({ err: error, machine_id: machineId }, 'A machine could not be registered as connected.');
        connection.close(tryAgainLater, 'The service cannot take the connection now; try again.');
        // The commit may have succeeded even if its answer was lost.
        inBackground(cannotRemove, () => remove(connection));
      })
      .finally(() => {
        if (registering.get(machineId) === current) registering.delete(machineId);
      });
    registering.set(machineId, current);
  }

  async function register(
    connection: DaemonConnection,
    previousId: string | null,
    hello: HelloFrame,
  ): Promise<void> {
    const { machineId, workspaceId, connectionId } = connection;
    if (connection.isClosed) return;
    hasConnected = true;
    const isRegistered = await database
      .within(workspaceId)
      .transaction((tx) =>
        machineStore.connect(tx, workspaceId, machineId, { connectionId, previousId, nodeId, hello }),
      );
    if (!isRegistered) return refuse(connection);
    if (isStopping) connection.close(serviceRestart, stopping);
    if (connection.isClosed) return remove(connection);
    forgetGreeting(connection);
    // First: listeners may send operations as soon as it is found.
    connection.welcome();
    const previous = open.get(machineId);
    open.set(machineId, connection);
    if (previous) end(previous, closeCodes.replaced, replaced);
    keepLooking();
    log.info(noted(connection), 'A machine has connected.');
    for (const listener of listeners) listener.onOpen(connection);
  }

  /**
   * It was revoked, or has connected again meanwhile, because this node was slow: the newer connection stays. If this one is
   * another daemon's, it replaces that one when it comes back.
   */
  async function refuse(connection: DaemonConnection): Promise<void> {
    const row = await machineStore.find(
      database.within(connection.workspaceId),
      connection.workspaceId,
      connection.machineId,
    );
    if (!row || row.revokedAt) connection.close(closeCodes.revoked, revoked);
    else connection.close(tryAgainLater, 'The machine has connected meanwhile; try again.');
  }

  /** Takes effect immediately, even if the other side is slow to confirm. */
  function end(connection: DaemonConnection, code: number, reason: string): void {
    connection.close(code, reason);
    leave(connection);
  }

  /** Removes the traces of a connection that has ended. Repeated calls do nothing. */
  function leave(connection: DaemonConnection): void {
    forgetGreeting(connection);
    if (!connection.wasOpen || connection.hasLeft) return;
    connection.hasLeft = true;
    if (open.get(connection.machineId) === connection) open.delete(connection.machineId);
    log.info(noted(connection), 'A machine has disconnected.');
    for (const listener of listeners) listener.onClose(connection);
    // A node that stops removes all of its connections in one statement.
    if (!isStopping) inBackground(cannotRemove, () => remove(connection));
  }

  function forgetGreeting(connection: DaemonConnection): void {
    if (greeting.get(connection.machineId) === connection) greeting.delete(connection.machineId);
  }

  async function remove(connection: DaemonConnection): Promise<void> {
    const { machineId, workspaceId, connectionId } = connection;
    leftBehind.add(connection);
    keepLooking();
    await machineStore.disconnect(database.within(workspaceId), workspaceId, machineId, connectionId);
    leftBehind.delete(connection);
  }

  function keepLooking(): void {
    if (isStopping) return;
    rounds ??= repeat({ name: 'machine connections', everyMilliseconds: lookEveryMs, log, work: look });
  }

  /** Ends the rounds when nothing is connected or left to be removed. */
  async function look(): Promise<void> {
    if (open.size === 0 && leftBehind.size === 0) {
      const ended = rounds;
      rounds = undefined;
      // Not awaited: it would wait for this round.
      void ended?.stop();
      return;
    }
    roundCount += 1;
    for (const connection of leftBehind) await remove(connection);
    if (!isListening || roundCount % renewalRounds === 0) await renew();
  }

  async function renew(): Promise<void> {
    const all = [...open.values()];
    if (all.length === 0) return;
    const ids = all.map(({ connectionId }) => connectionId);
    const current = new Set(await machineStore.renewAcrossWorkspaces(database.acrossWorkspaces, ids));
    for (const connection of all) if (!current.has(connection.connectionId)) await compare(connection);
  }

  /** Closes a connection that is no longer the machine's current one. */
  async function compare(connection: DaemonConnection): Promise<void> {
    const { machineId, workspaceId, connectionId } = connection;
    const row = await machineStore.find(database.within(workspaceId), workspaceId, machineId);
    if (open.get(machineId) !== connection) return;
    if (!row || row.revokedAt) end(connection, closeCodes.revoked, revoked);
    else if (row.connectionId === null) end(connection, serviceRestart, 'Connect again.');
    else if (row.connectionId !== connectionId) end(connection, closeCodes.replaced, replaced);
  }

  async function compareOpen(machineId: string): Promise<void> {
    const connection = open.get(machineId);
    if (connection) await compare(connection);
  }

  return {
    find: (machineId: string): MachineConnection | undefined => open.get(machineId),

    /** Calls the listener until the returned function is called. */
    on(listener: ConnectionListener): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },

    /** A daemon has connected with the key of this machine. */
    accept(machine: ConnectingMachine, socket: MachineSocket): DaemonConnection['handlers'] {
      const connection = createDaemonConnection(machine, socket, {
        onHello: (hello) => introduce(connection, machine.connectionId, hello),
        onFrame(frame) {
          for (const listener of listeners) listener.onFrame(connection, frame);
        },
        onClose: () => leave(connection),
      });
      greeting.get(machine.machineId)?.close(closeCodes.replaced, replaced);
      greeting.set(machine.machineId, connection);
      if (isStopping) connection.close(serviceRestart, stopping);
      return connection.handlers;
    },

    /** Closes the machine's connection in the background if it was revoked or has connected elsewhere. */
    check(machineId: string): void {
      inBackground(cannotCheck, async () => {
        await compareOpen(machineId);
        // A connection that is being registered may have been overtaken by the notification.
        const registered = registering.get(machineId);
        if (!registered) return;
        await registered;
        await compareOpen(machineId);
      });
    },

    /** Whether notifications of changes arrive; while they do not, every connection is checked each second. */
    setListening(value: boolean): void {
      isListening = value;
      // Notifications may have been missed.
      if (value) inBackground(cannotCheck, renew);
    },

    /** Closes all connections because this node stops, and takes no more. */
    async closeAll(): Promise<void> {
      isStopping = true;
      for (const connection of greeting.values()) connection.close(serviceRestart, stopping);
      for (const connection of open.values()) end(connection, serviceRestart, stopping);
      await Promise.all(registering.values());
      await rounds?.stop();
      if (hasConnected) await machineStore.disconnectAllAcrossWorkspaces(database.acrossWorkspaces, nodeId);
    },
  };
}

const revoked = 'This machine was revoked: its key no longer works.';
const replaced = 'Another daemon has connected with the same key.';
const stopping = 'This node is stopping; connect again.';
const cannotRemove = 'A machine is still recorded as connected; the next round corrects that.';
const cannotCheck = 'Connected machines could not be checked; the next round tries again.';

function noted({ machineId, workspaceId, connectionId }: DaemonConnection) {
  return { machine_id: machineId, workspace_id: workspaceId, connection_id: connectionId };
}
