import type { Outcome, ProgressFrame, ResultFrame } from '@svc/contract/machine-protocol';
import { oneAtATime } from '../../lib/one-at-a-time.ts';
import type { Services } from '../../services.ts';
import type { MachineConnection } from '../machine-connections.ts';
import { type LostCall, operationStore } from './machine-operations.store.ts';

/** Adds an outcome to the conversation of its operation; false if its turn has not ended the call yet. */
export type NoteOutcome = (call: LostCall, outcome: Outcome) => Promise<boolean>;

export interface LateOutcomesDependencies extends Pick<Services, 'database' | 'log'> {
  noteOutcome: NoteOutcome;
  noteMs: number;
  /** From now on `advance` has to be called regularly, until nothing waits. */
  onWaiting(): void;
}

interface Late {
  call: LostCall;
  outcome: Outcome;
  /** When it is dropped. */
  until: number;
  hasFailed: boolean;
}

/** Asks machines that come back for the outcomes that their turns did not wait for. */
export function createLateOutcomes(dependencies: LateOutcomesDependencies) {
  const { database, noteOutcome, noteMs, onWaiting, log } = dependencies;
  /** Machines that have connected here and were not asked yet. */
  const connected = new Set<MachineConnection>();
  /** By the id of the operation. */
  const asked = new Map<string, LostCall>();
  const arrived = new Map<string, Late>();
  const settling = oneAtATime('late outcomes of machines', log, async () => {
    for (const connection of connected) await ask(connection);
    for (const late of arrived.values()) await settle(late);
  });

  async function ask(connection: MachineConnection): Promise<void> {
    const { workspaceId, machineId, instanceId } = connection;
    const query = database.within(workspaceId);
    for (const call of await operationStore.listLost(query, workspaceId, machineId)) {
      // Another instance of the daemon does not know it.
      if (call.instanceId !== instanceId) await operationStore.forgetLost(query, workspaceId, call.id);
      else request(call, connection);
    }
    connected.delete(connection);
  }

  /** Without arguments, so that it cannot start now; one that the daemon knows is answered with its outcome. */
  function request(call: LostCall, connection: MachineConnection): void {
    const { id, name, conversationId } = call;
    asked.set(id, call);
    connection.send({ type: 'cancel', id });
    const requestedBy = { bot: null, conversation_id: conversationId };
    connection.send({
      type: 'operation',
      id,
      name,
      workdir: '.',
      arguments: {},
      requested_by: requestedBy,
    });
  }

  async function settle(late: Late): Promise<void> {
    const { workspaceId, id } = late.call;
    if (!(await note(late)) && performance.now() < late.until) return;
    await operationStore.forgetLost(database.within(workspaceId), workspaceId, id);
    arrived.delete(id);
  }

  /** One that fails does not keep the others from being noted, and is logged once. */
  async function note(late: Late): Promise<boolean> {
    try {
      return await noteOutcome(late.call, late.outcome);
    } catch (error) {
      if (!late.hasFailed)
        log.warn({ err: error, operationId: late.call.id }, 'A late outcome could not be noted.');
      late.hasFailed = true;
      return false;
    }
  }

  return {
    onOpen(connection: MachineConnection): void {
      connected.add(connection);
      onWaiting();
      settling.run();
    },
    onClose(connection: MachineConnection): void {
      connected.delete(connection);
      for (const [id, { machineId }] of asked) if (machineId === connection.machineId) asked.delete(id);
    },
    receive(machineId: string, frame: ProgressFrame | ResultFrame): void {
      const call = asked.get(frame.id);
      if (frame.type !== 'result' || call?.machineId !== machineId) return;
      asked.delete(frame.id);
      const until = performance.now() + noteMs;
      arrived.set(frame.id, { call, outcome: frame.outcome, until, hasFailed: false });
      onWaiting();
      settling.run();
    },
    /** Tries again what could not be done yet. */
    advance(): void {
      if (connected.size + arrived.size > 0) settling.run();
    },
    isWaiting: (): boolean => connected.size + arrived.size > 0,
    idle: settling.idle,
  };
}
