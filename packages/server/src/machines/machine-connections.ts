import {
  type CancelFrame,
  closeCodes,
  type HelloFrame,
  type OperationFrame,
  type ProgressFrame,
  type ResultFrame,
} from '@svc/contract/machine-protocol';
import { type Repetition, repeat } from '../lib/repeat.ts';
import type { Services } from '../services.ts';
import { createSession, type MachineSocket, type Session, type SocketHandlers } from './machine-session.ts';
import { machineStore } from './machines.store.ts';

/** A machine's daemon that is connected to this node. */
export interface MachineConnection {
  readonly machineId: string;
  readonly workspaceId: string;
  readonly connectionId: string;
  /** Of the daemon's stored state: only the same instance knows the operations that were sent before. */
  readonly instanceId: string;
  /** Frames to a closed connection are dropped, so callers must handle `onClose`. */
  send(frame: OperationFrame | CancelFrame): void;
}

export interface ConnectionListener {
  onFrame(connection: MachineConnection, frame: ProgressFrame | ResultFrame): void;
  /** The machine is connected here: it is registered in the database and can be sent operations. */
  onOpen(connection: MachineConnection): void;
  onClose(connection: MachineConnection): void;
}

/** The machines whose daemons are connected to this node, one connection each. */
export interface Connections {
  find(machineId: string): MachineConnection | undefined;
  /** Calls the listener until the returned function is called. */
  on(listener: ConnectionListener): () => void;
  /** Closes all connections because this node stops, and takes no more. */
  closeAll(): Promise<void>;
}

export interface OpenConnections extends Connections {
  /** A daemon has connected with the key of this machine. */
  accept(machine: ConnectingMachine, socket: MachineSocket): SocketHandlers;
  /** Closes the machine's connection in the background if it was revoked or has connected elsewhere. */
  check(machineId: string): void;
  /** Whether notifications of changes arrive; while they do not, every connection is checked each second. */
  setListening(isListening: boolean): void;
}

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

export function createConnections({
  database,
  nodeId,
  log,
}: Pick<Services, 'database' | 'log' | 'nodeId'>): OpenConnections {
  /** Connected daemons, by machine. */
  const open = new Map<string, Session>();
  /** Daemons that have not introduced themselves yet, at most one per machine. */
  const greeting = new Map<string, Session>();
  /** Connections that have ended, but could not be removed from the database. */
  const leftBehind = new Set<Session>();
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
  function introduce(session: Session, previousId: string | null, hello: HelloFrame): void {
    const { machineId } = session;
    const before = registering.get(machineId) ?? Promise.resolve();
    const current = before
      .then(() => register(session, previousId, hello))
      .catch((error: unknown) => {
        log.warn({ err: error, machine_id: machineId }, 'A machine could not be registered as connected.');
        session.close(tryAgainLater, 'The service cannot take the connection now; try again.');
        // The commit may have succeeded even if its answer was lost.
        inBackground(cannotRemove, () => remove(session));
      })
      .finally(() => {
        if (registering.get(machineId) === current) registering.delete(machineId);
      });
    registering.set(machineId, current);
  }

  async function register(session: Session, previousId: string | null, hello: HelloFrame): Promise<void> {
    const { machineId, workspaceId, connectionId } = session;
    if (session.isClosed) return;
    hasConnected = true;
    const isRegistered = await database
      .within(workspaceId)
      .transaction((tx) =>
        machineStore.connect(tx, workspaceId, machineId, { connectionId, previousId, nodeId, hello }),
      );
    if (!isRegistered) return refuse(session);
    if (isStopping) session.close(serviceRestart, stopping);
    if (session.isClosed) return remove(session);
    forgetGreeting(session);
    // First: listeners may send operations as soon as it is found.
    session.welcome();
    const previous = open.get(machineId);
    open.set(machineId, session);
    if (previous) end(previous, closeCodes.replaced, replaced);
    keepLooking();
    log.info(noted(session), 'A machine has connected.');
    for (const listener of listeners) listener.onOpen(session);
  }

  /**
   * It was revoked, or has connected again meanwhile, because this node was slow: the newer connection stays. If this one is
   * another daemon's, it replaces that one when it comes back.
   */
  async function refuse(session: Session): Promise<void> {
    const row = await machineStore.find(
      database.within(session.workspaceId),
      session.workspaceId,
      session.machineId,
    );
    if (!row || row.revokedAt) session.close(closeCodes.revoked, revoked);
    else session.close(tryAgainLater, 'The machine has connected meanwhile; try again.');
  }

  /** Takes effect immediately, even if the other side is slow to confirm. */
  function end(session: Session, code: number, reason: string): void {
    session.close(code, reason);
    leave(session);
  }

  /** Removes the traces of a connection that has ended. Repeated calls do nothing. */
  function leave(session: Session): void {
    forgetGreeting(session);
    if (!session.wasOpen || session.hasLeft) return;
    session.hasLeft = true;
    if (open.get(session.machineId) === session) open.delete(session.machineId);
    log.info(noted(session), 'A machine has disconnected.');
    for (const listener of listeners) listener.onClose(session);
    // A node that stops removes all of its connections in one statement.
    if (!isStopping) inBackground(cannotRemove, () => remove(session));
  }

  function forgetGreeting(session: Session): void {
    if (greeting.get(session.machineId) === session) greeting.delete(session.machineId);
  }

  async function remove(session: Session): Promise<void> {
    const { machineId, workspaceId, connectionId } = session;
    leftBehind.add(session);
    keepLooking();
    await machineStore.disconnect(database.within(workspaceId), workspaceId, machineId, connectionId);
    leftBehind.delete(session);
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
    for (const session of leftBehind) await remove(session);
    if (!isListening || roundCount % renewalRounds === 0) await renew();
  }

  async function renew(): Promise<void> {
    const sessions = [...open.values()];
    if (sessions.length === 0) return;
    const ids = sessions.map(({ connectionId }) => connectionId);
    const current = new Set(await machineStore.renewAcrossWorkspaces(database.acrossWorkspaces, ids));
    for (const session of sessions) if (!current.has(session.connectionId)) await compare(session);
  }

  /** Closes a connection that is no longer the machine's current one. */
  async function compare(session: Session): Promise<void> {
    const { machineId, workspaceId, connectionId } = session;
    const row = await machineStore.find(database.within(workspaceId), workspaceId, machineId);
    if (open.get(machineId) !== session) return;
    if (!row || row.revokedAt) end(session, closeCodes.revoked, revoked);
    else if (row.connectionId === null) end(session, serviceRestart, 'Connect again.');
    else if (row.connectionId !== connectionId) end(session, closeCodes.replaced, replaced);
  }

  async function compareOpen(machineId: string): Promise<void> {
    const session = open.get(machineId);
    if (session) await compare(session);
  }

  return {
    find: (machineId) => open.get(machineId),

    on(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },

    accept(machine, socket) {
      const session = createSession(machine, socket, {
        onHello: (hello) => introduce(session, machine.connectionId, hello),
        onFrame(frame) {
          for (const listener of listeners) listener.onFrame(session, frame);
        },
        onClose: () => leave(session),
      });
      greeting.get(machine.machineId)?.close(closeCodes.replaced, replaced);
      greeting.set(machine.machineId, session);
      if (isStopping) session.close(serviceRestart, stopping);
      return session.handlers;
    },

    check(machineId) {
      inBackground(cannotCheck, async () => {
        await compareOpen(machineId);
        // A connection that is being registered may have been overtaken by the notification.
        const registered = registering.get(machineId);
        if (!registered) return;
        await registered;
        await compareOpen(machineId);
      });
    },

    setListening(value) {
      isListening = value;
      // Notifications may have been missed.
      if (value) inBackground(cannotCheck, renew);
    },

    async closeAll() {
      isStopping = true;
      for (const session of greeting.values()) session.close(serviceRestart, stopping);
      for (const session of open.values()) end(session, serviceRestart, stopping);
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

function noted({ machineId, workspaceId, connectionId }: Session) {
  return { machine_id: machineId, workspace_id: workspaceId, connection_id: connectionId };
}
