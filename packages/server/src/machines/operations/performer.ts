import {
  type CancelFrame,
  maxFrameBytes,
  type OperationFrame,
  type Outcome,
  type ProgressFrame,
  type ResultFrame,
} from '@svc/contract/machine-protocol';
import { AppError } from '../../app-error.ts';
import { ContinuesElsewhere } from '../../continues-elsewhere.ts';
import { type Database, isConnectionFailure } from '../../database/database.ts';
import type { Log } from '../../log.ts';
import { type Delivery, decideNext, type Place } from './decide-next.ts';
import type { Locator, Sighting } from './locate-machines.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { hasEffects, type OperationRequest, type OperationRun } from './operation.ts';
import { operationStore } from './store.ts';

/** How long an operation waits for its machine to connect. */
const connectMs = 15_000;
/** How long the result may take to arrive, beyond the time that the operation itself has. */
const graceMs = 15_000;
/** How long a machine that is not connected may take to come back and receive a cancellation. */
const cancelMs = 60_000;

export interface PerformerDependencies {
  database: Database;
  locator: Locator;
  /** Sends a frame to where the machine is connected. */
  send(machineId: string, place: Place, frame: OperationFrame | CancelFrame): void;
  nameOfBot(workspaceId: string, botId: string): Promise<string>;
  /** From now on `advance` has to be called regularly, until nothing waits. */
  onWaiting(): void;
  log: Log;
}

export interface Performer {
  /** `waitMs` limits how long to wait for a machine that is not connected. */
  perform(request: OperationRequest, run: OperationRun, waitMs?: number): Promise<Outcome>;
  cancel(machineId: string, operationId: string): void;
  /** A frame of a machine, possibly about somebody else's operation. */
  receive(machineId: string, frame: ProgressFrame | ResultFrame): void;
  /** Looks where the machines are and sends what is due; called when one may have connected or gone, and regularly. */
  advance(): void;
  /** Whether something waits for a machine. */
  isWaiting(): boolean;
  isWaitingFor(machineId: string): boolean;
  /** Leaves all operations to other nodes. */
  close(): Promise<void>;
}

/** An operation that a caller on this node waits for. */
interface Awaited {
  request: OperationRequest;
  run: OperationRun;
  frame: OperationFrame;
  sent: Delivery | undefined;
  /** Whether `sent` includes what an earlier node may have sent. */
  isRecalled: boolean;
  giveUpAt: number;
  /** One step at a time. */
  isStepping: boolean;
  resolve(outcome: Outcome): void;
  reject(reason: unknown): void;
}

type Sight = { isPaired: boolean; place: Place | undefined };
/** While the database does not answer: only the time limits apply. */
const notKnown: Sight = { isPaired: true, place: undefined };

/** Has operations carried out: decides for each what to do next (`decideNext`) until it has a result. */
export function createPerformer(dependencies: PerformerDependencies): Performer {
  const { database, locator, send, log } = dependencies;
  const awaited = new Set<Awaited>();
  const cancels = new Map<string, { machineId: string; giveUpAt: number }>();
  const looking = oneAtATime('look for machines', log, look);

  async function perform(request: OperationRequest, run: OperationRun, waitMs = connectMs): Promise<Outcome> {
    const frame = await frameOf(request);
    if (Buffer.byteLength(JSON.stringify(frame)) > maxFrameBytes)
      return { status: 'error', message: 'The arguments are too large to be sent to the machine.' };
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    const giveUpAt = performance.now() + waitMs;
    const isRecalled = !isRecorded(request);
    const awaiting = { sent: undefined, isRecalled, giveUpAt, isStepping: false };
    const operation: Awaited = { request, run, frame, ...awaiting, resolve, reject };
    const onAbort = () => withdraw(operation, run.signal.reason);
    run.signal.addEventListener('abort', onAbort, { once: true });
    awaited.add(operation);
    if (run.signal.aborted) onAbort();
    else waitForMachine();
    try {
      return await promise;
    } finally {
      awaited.delete(operation);
      run.signal.removeEventListener('abort', onAbort);
    }
  }

  async function frameOf(request: OperationRequest): Promise<OperationFrame> {
    const { id, name, workdir, basis, botId, workspaceId, conversationId } = request;
    const bot = botId === undefined ? null : await nameOfBot(workspaceId, botId);
    const requestedBy = { bot, conversation_id: conversationId ?? null };
    const content = { id, name, workdir, arguments: request.arguments, ...(basis && { basis }) };
    return { type: 'operation', ...content, requested_by: requestedBy };
  }

  /** Only shown on the machine, so that nothing fails without it. */
  function nameOfBot(workspaceId: string, botId: string): Promise<string | null> {
    return dependencies.nameOfBot(workspaceId, botId).catch((error: unknown) => {
      log.warn({ err: error }, 'The name of a bot could not be read.');
      return null;
    });
  }

  function withdraw(operation: Awaited, reason: unknown): void {
    const { request, sent } = operation;
    awaited.delete(operation);
    operation.reject(reason);
    if (reason instanceof ContinuesElsewhere) return;
    // One with effects may have been sent by the node that ran its turn before.
    if (sent || hasEffects(request.name)) cancel(request.machineId, request.id);
  }

  function cancel(machineId: string, operationId: string): void {
    cancels.set(operationId, { machineId, giveUpAt: performance.now() + cancelMs });
    waitForMachine();
  }

  function waitForMachine(): void {
    dependencies.onWaiting();
    advance();
  }

  /** Machines of this node are served immediately, even if the database is slow or away. */
  function advance(): void {
    const now = performance.now();
    for (const operation of awaited) {
      const sighting = locator.here(operation.request.machineId);
      if (sighting) void step(operation, sightOf(operation, sighting));
      else if (now >= operation.giveUpAt) void step(operation, notKnown);
    }
    for (const [id, { machineId, giveUpAt }] of cancels) {
      const sighting = locator.here(machineId);
      if (sighting) sendCancel(id, machineId, sighting);
      else if (now >= giveUpAt) cancels.delete(id);
    }
    if (machineIds().some((id) => !locator.here(id))) looking.run();
  }

  async function look(): Promise<void> {
    // Taken before the machines are located: others may be added meanwhile.
    const operations = [...awaited];
    const toCancel = [...cancels];
    const sightings = await locator.everywhere(machineIds());
    for (const operation of operations)
      void step(operation, sightOf(operation, sightings.get(operation.request.machineId)));
    for (const [id, { machineId }] of toCancel) sendCancel(id, machineId, sightings.get(machineId));
  }

  function machineIds(): string[] {
    return [
      ...[...awaited].map(({ request }) => request.machineId),
      ...[...cancels.values()].map(({ machineId }) => machineId),
    ];
  }

  function sendCancel(id: string, machineId: string, sighting: Sighting | undefined): void {
    if (sighting && !sighting.place) return;
    if (sighting?.place && cancels.has(id)) send(machineId, sighting.place, { type: 'cancel', id });
    cancels.delete(id);
  }

  async function step(operation: Awaited, sight: Sight): Promise<void> {
    if (operation.isStepping) return;
    operation.isStepping = true;
    try {
      await act(operation, sight);
    } catch (error) {
      // Without the database nothing with effects is sent; the next step tries again.
      if (isConnectionFailure(error)) log.warn({ err: error }, 'An operation waits for the database.');
      else operation.reject(error);
    } finally {
      operation.isStepping = false;
    }
  }

  async function act(operation: Awaited, sight: Sight): Promise<void> {
    if (!operation.isRecalled) await recall(operation);
    if (!awaited.has(operation)) return;
    const { request, sent, giveUpAt } = operation;
    const { machineId } = request;
    const now = performance.now();
    const next = decideNext({
      ...sight,
      machineId,
      hasEffects: hasEffects(request.name),
      sent,
      now,
      giveUpAt,
    });
    if (next.action === 'reject') return operation.reject(new AppError(next.code));
    if (next.action === 'report unknown') {
      operation.resolve({ status: 'unknown', message: next.message });
      // Nobody waits for it any more: it should not go on, nor start late.
      if (sent?.machineId === machineId) cancel(machineId, request.id);
      return;
    }
    if (next.action === 'wait' || !sight.place) return;
    if (!sent && isRecorded(request)) {
      await record(operation, sight.place);
      return act(operation, sight);
    }
    const { connectionId, instanceId } = sight.place;
    noteDelivery(operation, { machineId, instanceId: sent?.instanceId ?? instanceId, connectionId, at: now });
    send(machineId, sight.place, operation.frame);
  }

  /** What the node that ran this turn before has sent. */
  async function recall(operation: Awaited): Promise<void> {
    const { id, workspaceId } = operation.request;
    const earlier = await operationStore.findCall(database.query, workspaceId, id);
    if (earlier) noteDelivery(operation, { ...earlier, connectionId: undefined, at: performance.now() });
    operation.isRecalled = true;
  }

  async function record(operation: Awaited, { instanceId }: Place): Promise<void> {
    const { id, workspaceId, machineId, name, conversationId } = operation.request;
    if (conversationId === undefined) return;
    const call = { id, machineId, instanceId, name, conversationId };
    const first = await operationStore.recordCall(database.query, workspaceId, call);
    noteDelivery(operation, { ...first, connectionId: undefined, at: performance.now() });
  }

  function noteDelivery(operation: Awaited, delivery: Delivery): void {
    if (!operation.sent) operation.giveUpAt = delivery.at + operation.request.timeLimitMs + graceMs;
    operation.sent = delivery;
  }

  return {
    perform,
    cancel,
    receive(machineId, frame) {
      for (const { request, run, resolve } of awaited) {
        // No machine can answer for another.
        if (request.id !== frame.id || request.machineId !== machineId) continue;
        if (frame.type === 'result') resolve(frame.outcome);
        else run.onProgress(frame.text);
      }
    },
    advance,
    isWaiting: () => awaited.size + cancels.size > 0,
    isWaitingFor: (machineId) => machineIds().includes(machineId),
    async close() {
      for (const operation of awaited) withdraw(operation, new ContinuesElsewhere('This node stops.'));
      cancels.clear();
      await looking.idle();
    },
  };
}

/** Operations with effects are recorded before they are sent, except when a tool is tested. */
function isRecorded({ name, conversationId }: OperationRequest): boolean {
  return hasEffects(name) && conversationId !== undefined;
}

function sightOf({ request }: Awaited, sighting: Sighting | undefined): Sight {
  return { isPaired: sighting?.workspaceId === request.workspaceId, place: sighting?.place };
}
