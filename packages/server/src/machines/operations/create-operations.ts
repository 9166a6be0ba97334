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
import { createLocator } from './locate-machines.ts';
import type { Operations } from './machine-operation.ts';
import { operationStore } from './machine-operations.store.ts';
import { createMailbox, mailChannel } from './mailbox/mailbox.ts';
import { createPerformer, type Performer } from './performer.ts';
import { createRelay } from './relay.ts';
import { createRevert } from './revert.ts';
import { defaultTimes, type Times } from './times.ts';

const tickMs = 1_000;
/** How many ticks pass between looks for mail while machines are connected and nothing is awaited. */
const idleTicks = 5;

export interface OperationsDependencies extends Pick<Services, 'database' | 'log' | 'presence'> {
  connections: Connections;
  /** For people who watch the machine. */
  nameOfBot(workspaceId: string, botId: string): Promise<string>;
  times?: Times;
}

export interface OpenedOperations extends Operations {
  /** Handlers of PostgreSQL's notifications. */
  notifications: Record<string, (payload: string) => void>;
  /** A machine has connected somewhere or was revoked (`machineChangedChannel`). */
  onMachineChanged(machineId: string): void;
  /** Notifications arrive again: some may have been missed. */
  onListening(): void;
  /** Operations in progress continue on other nodes. Call it before the connections are closed. */
  close(): Promise<void>;
}

/** Wires the parts together, and wakes them up while there is something to wait for. */
export function createOperations(dependencies: OperationsDependencies): OpenedOperations {
  const { database, connections, nameOfBot, presence, times = defaultTimes, log } = dependencies;
  const { nodeId } = presence;
  const locator = createLocator(connections, database, nodeId);
  const mailbox = createMailbox({
    database,
    nodeId,
    log,
    onMail(mail) {
      if (mail.kind === 'to machine') relay.pass(mail);
      else receive(mail.machineId, mail.frame);
    },
  });
  const relay = createRelay(connections, mailbox);
  const cancellations = createCancellations({ locator, send, cancelMs: times.cancelMs, log });
  const waiting = { nameOfBot, times, hasLapsed: presence.hasLapsed, onWaiting: keepTicking };
  const performer = createPerformer({ database, locator, send, cancel, log, ...waiting });
  const open = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let ticks = 0;

  const unsubscribe = connections.on({
    onFrame({ machineId }, frame) {
      receive(machineId, frame);
      relay.answer(machineId, frame);
    },
    onOpen({ connectionId }) {
      open.add(connectionId);
      keepTicking();
      advance();
    },
    onClose({ connectionId }) {
      open.delete(connectionId);
      relay.forget(connectionId);
      advance();
    },
  });

  function receive(machineId: string, frame: ProgressFrame | ResultFrame): void {
    performer.receive(machineId, frame);
    if (frame.type === 'result') cancellations.settle(machineId, frame.id);
  }

  function send(machineId: string, location: MachineLocation, frame: OperationFrame | CancelFrame): void {
    const { nodeId: toNode, connectionId, isHere } = location;
    if (!isHere)
      return mailbox.post(toNode, { kind: 'to machine', from: nodeId, machineId, connectionId, frame });
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
  }

  function keepTicking(): void {
    timer ??= setInterval(tick, tickMs).unref();
  }

  function tick(): void {
    const isBusy = performer.isWaiting() || cancellations.isWaiting() || relay.isBusy();
    if (!isBusy && open.size === 0) {
      clearInterval(timer);
      timer = undefined;
      return;
    }
    ticks += 1;
    // Notifications can be lost.
    if (isBusy || ticks % idleTicks === 0) mailbox.collect();
    advance();
  }

  return {
    perform: (request, run) => performer.perform(request, run),
    async cancel(workspaceId, operationIds) {
      const calls = await operationStore.listCalls(database.within(workspaceId), workspaceId, operationIds);
      for (const { machineId, id } of calls) cancel(machineId, id);
    },
    checkWorkdir: createWorkdirCheck(performer, times.checkConnectMs),
    revert: createRevert({ database, locator, performer }),
    notifications: {
      [mailChannel](recipient) {
        if (recipient === nodeId) mailbox.collect();
      },
    },
    onMachineChanged(machineId) {
      if (performer.isWaitingFor(machineId) || cancellations.isWaitingFor(machineId)) advance();
    },
    onListening() {
      if (!timer) return;
      mailbox.collect();
      advance();
    },
    async close() {
      unsubscribe();
      clearInterval(timer);
      relay.close();
      await Promise.all([performer.close(), cancellations.close()]);
      await mailbox.close();
    },
  };
}

const timeLimitMs = 5_000;

function createWorkdirCheck(
  performer: Pick<Performer, 'perform'>,
  connectMs: number,
): Operations['checkWorkdir'] {
  return async (workspaceId, machineId, workdir, botId) => {
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
