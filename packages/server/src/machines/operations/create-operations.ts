import type {
  CancelFrame,
  CheckedWorkdir,
  OperationFrame,
  ProgressFrame,
  ResultFrame,
} from '@svc/contract/machine-protocol';
import { AppError } from '../../lib/app-error.ts';
import { newId } from '../../lib/new-id.ts';
import type { Services } from '../../services.ts';
import type { Connections } from '../machine-connections.ts';
import { createCancellations } from './cancellations.ts';
import type { MachineLocation } from './decide-next.ts';
import { createLateOutcomes, type NoteOutcome } from './late-outcomes.ts';
import { createLocator } from './locate-machines.ts';
import { operationStore } from './machine-operations.store.ts';
import { createPerformer, type Performer } from './performer.ts';
import { createRelay, fromMachine, toMachine } from './relay.ts';
import { createRevert } from './revert.ts';
import { defaultTimes, type Times } from './times.ts';

const tickMs = 1_000;

export interface OperationsDependencies
  extends Pick<Services, 'clock' | 'database' | 'log' | 'nodeCommands' | 'presence'> {
  connections: Pick<Connections, 'find' | 'on'>;
  /** For people who watch the machine. */
  nameOfBot(workspaceId: string, botId: string): Promise<string>;
  noteOutcome: NoteOutcome;
  times?: Times;
}

export type Operations = ReturnType<typeof createOperations>;

/**
 * Work on paired machines, on whichever nodes they are connected to. Wires the parts together, and wakes them up while there is
 * something to wait for.
 */
export function createOperations(dependencies: OperationsDependencies) {
  const { clock, database, connections, nameOfBot, nodeCommands, presence, log } = dependencies;
  const { times = defaultTimes } = dependencies;
  const { nodeId } = presence;
  const locator = createLocator(connections, database, nodeId);
  const relay = createRelay(connections, nodeCommands);
  const handled = [
    nodeCommands.handle(toMachine, relay.pass),
    nodeCommands.handle(fromMachine, ({ machineId, frame }) => receive(machineId, frame)),
  ];
  const cancellations = createCancellations({ locator, send, cancelMs: times.cancelMs, log });
  const waiting = { nameOfBot, times, hasLapsed: presence.hasLapsed, onWaiting: keepTicking };
  const performer = createPerformer({ clock, database, locator, send, cancel, log, ...waiting });
  const lateOutcomes = createLateOutcomes({
    ...dependencies,
    noteMs: times.noteMs,
    onWaiting: keepTicking,
  });
  let timer: NodeJS.Timeout | undefined;

  const unsubscribe = connections.on({
    onFrame({ machineId }, frame) {
      receive(machineId, frame);
      relay.answer(machineId, frame);
      lateOutcomes.receive(machineId, frame);
    },
    onOpen(connection) {
      lateOutcomes.onOpen(connection);
      advance();
    },
    onClose(connection) {
      lateOutcomes.onClose(connection);
      relay.forget(connection.connectionId);
      advance();
    },
  });

  function receive(machineId: string, frame: ProgressFrame | ResultFrame): void {
    performer.receive(machineId, frame);
    if (frame.type === 'result') cancellations.settle(machineId, frame.id);
  }

  function send(
    machineId: string,
    location: MachineLocation,
    frame: OperationFrame | CancelFrame,
    traceParent?: string,
  ): void {
    const { nodeId: toNode, connectionId, isHere } = location;
    if (!isHere)
      return nodeCommands.send(toMachine, toNode, { machineId, connectionId, frame }, { traceParent });
    const connection = connections.find(machineId);
    // If it has closed meanwhile, the frame is sent to the next one.
    if (connection?.connectionId === connectionId) connection.send(frame);
  }

  function cancel(machineId: string, operationId: string): void {
    cancellations.add(machineId, operationId);
    keepTicking();
  }

  function advance(): void {
    performer.advance();
    cancellations.advance();
    lateOutcomes.advance();
  }

  function keepTicking(): void {
    timer ??= setInterval(tick, tickMs).unref();
  }

  function tick(): void {
    if (performer.isWaiting() || cancellations.isWaiting() || lateOutcomes.isWaiting()) return advance();
    clearInterval(timer);
    timer = undefined;
  }

  return {
    perform: performer.perform,
    /** Cancels those of the operations that still run. Operations that were never recorded are ignored. */
    async cancel(workspaceId: string, operationIds: readonly string[]): Promise<void> {
      const calls = await operationStore.listCalls(database.within(workspaceId), workspaceId, operationIds);
      for (const { machineId, id } of calls) cancel(machineId, id);
    },
    checkWorkdir: createWorkdirCheck(performer, times.checkConnectMs),
    /**
     * Restores the files that these operations changed, which must be sorted newest first. Throws MACHINE_OFFLINE before
     * anything is restored, unless all machines that made changes are connected. Repeating it is harmless.
     */
    revert: createRevert(database, locator, performer),
    /** A machine has connected somewhere or was revoked (`machineChangedChannel`). */
    onMachineChanged(machineId: string): void {
      if (performer.isWaitingFor(machineId) || cancellations.isWaitingFor(machineId)) advance();
    },
    /** Notifications arrive again: some may have been missed. */
    onListening: advance,
    /** Operations in progress continue on other nodes. Call it before the connections are closed. */
    async close(): Promise<void> {
      unsubscribe();
      clearInterval(timer);
      relay.close();
      await Promise.all([performer.close(), cancellations.close(), lateOutcomes.idle()]);
      for (const end of handled) end();
    },
  };
}

const timeLimitMs = 5_000;

/**
 * Finds the real path of a directory on the machine, or why the machine does not allow work there. Throws NOT_FOUND and
 * MACHINE_OFFLINE as `perform` does.
 */
function createWorkdirCheck(performer: Pick<Performer, 'perform'>, connectMs: number) {
  return async (
    workspaceId: string,
    machineId: string,
    workdir: string,
    botId?: string,
  ): Promise<{ workdir: string } | { refused: string }> => {
    const target = { id: newId(), workspaceId, machineId, workdir, timeLimitMs };
    const outcome = await performer.perform(
      { ...target, name: 'check_workdir', arguments: {}, botId, conversationId: undefined },
      { signal: new AbortController().signal, onProgress: () => undefined },
      connectMs,
    );
    if (outcome.status === 'unknown')
      throw new AppError('MACHINE_OFFLINE', { message: 'The machine does not respond.' });
    if (outcome.status === 'error') return { refused: outcome.message };
    const { workdir: realPath } = (outcome.value ?? {}) as Partial<CheckedWorkdir>;
    return typeof realPath === 'string' ? { workdir: realPath } : { refused: 'The machine gave no path.' };
  };
}
