import {
  maxFrameBytes,
  type OperationFrame,
  type Outcome,
  type ProgressFrame,
  type ResultFrame,
} from '@svc/contract/machine-protocol';
import { isConnectionFailure } from '../../database/database.ts';
import { AppError } from '../../lib/app-error.ts';
import { ContinuesElsewhere } from '../../lib/continues-elsewhere.ts';
import { oneAtATime } from '../../lib/one-at-a-time.ts';
import type { Services } from '../../services.ts';
import { type Delivery, decideNext, type MachineLocation } from './decide-next.ts';
import type { Locator, Sighting } from './locate-machines.ts';
import { hasEffects, type OperationRequest, type OperationRun } from './machine-operation.ts';
import { operationStore } from './machine-operations.store.ts';
import type { Times } from './times.ts';

export interface PerformerDependencies extends Pick<Services, 'clock' | 'database' | 'log'> {
  locator: Locator;
  /** Sends a frame to where the machine is connected. */
  send(machineId: string, location: MachineLocation, frame: OperationFrame, traceParent?: string): void;
  cancel(machineId: string, operationId: string): void;
  nameOfBot(workspaceId: string, botId: string): Promise<string>;
  /** From now on `advance` has to be called regularly, until nothing waits. */
  onWaiting(): void;
  /** Whether other nodes may have taken over the work of this one. */
  hasLapsed(): boolean;
  times: Times;
}

export type Performer = ReturnType<typeof createPerformer>;

/** An operation that a caller on this node waits for. */
interface Awaited {
  request: OperationRequest;
  run: OperationRun;
  frame: OperationFrame;
  sent: Delivery | undefined;
  /** Whether `sent` includes what an earlier node may have sent. */
  isRecalled: boolean;
  giveUpAt: number;
  isOverdue: boolean;
  /** By the clock; undefined while the machine is connected. */
  offlineSince: number | undefined;
  /** One step at a time. */
  isStepping: boolean;
  resolve(outcome: Outcome): void;
  reject(reason: unknown): void;
}

const stopping = 'This node is stopping.';

type Sight = { isPaired: boolean; location: MachineLocation | undefined; isKnown: boolean };
/** While the database does not answer: only the time limits apply. */
const notKnown: Sight = { isPaired: true, location: undefined, isKnown: false };

/** Has operations carried out: decides for each what to do next (`decideNext`) until it has a result. */
export function createPerformer(dependencies: PerformerDependencies) {
  const { clock, database, locator, send, cancel, times, log } = dependencies;
  const awaited = new Set<Awaited>();
  const looking = oneAtATime('look for machines', log, look);
  let isClosed = false;

  /**
   * Has one operation carried out: at most once, however often it is requested with the same id. Throws NOT_FOUND for a
   * machine that is unknown or revoked, and MACHINE_OFFLINE if it does not connect within `connectMs` to receive the operation. If
   * it may have received it and does not report what came of it, the outcome is `unknown`.
   */
  async function perform(
    request: OperationRequest,
    run: OperationRun,
    connectMs = times.connectMs,
  ): Promise<Outcome> {
    const frame = await frameOf(request);
    if (Buffer.byteLength(JSON.stringify(frame)) > maxFrameBytes)
      return { status: 'error', message: 'The arguments are too large to be sent to the machine.' };
    if (isClosed) throw new ContinuesElsewhere(stopping);
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    const giveUpAt = performance.now() + connectMs;
    const isRecalled = !isRecorded(request);
    const awaiting = { sent: undefined, isRecalled, giveUpAt, isOverdue: false, isStepping: false };
    const operation: Awaited = { request, run, frame, ...awaiting, offlineSince: undefined, resolve, reject };
    const onAbort = () => withdraw(operation, run.signal.reason);
    run.signal.addEventListener('abort', onAbort, { once: true });
    awaited.add(operation);
    if (run.signal.aborted) onAbort();
    dependencies.onWaiting();
    advance();
    try {
      return await promise;
    } finally {
      awaited.delete(operation);
      run.signal.removeEventListener('abort', onAbort);
    }
  }

  async function frameOf(request: OperationRequest): Promise<OperationFrame> {
    const { id, name, workdir, basis, approval, botId, workspaceId, conversationId } = request;
    const bot = botId === undefined ? null : await nameOfBot(workspaceId, botId);
    const requestedBy = { bot, conversation_id: conversationId ?? null };
    const proof = { ...(basis && { basis }), ...(approval && { approval }) };
    const content = { id, name, workdir, arguments: request.arguments, ...proof };
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

  /**
   * Looks where the machines are and sends what is due; called when one may have connected or gone, and regularly. Machines of this
   * node are served immediately, even if the database is slow or away.
   */
  function advance(): void {
    const now = performance.now();
    for (const operation of awaited) {
      const sighting = locator.here(operation.request.machineId);
      if (sighting) void step(operation, sightOf(operation, sighting));
      else if (now >= operation.giveUpAt) void step(operation, notKnown);
    }
    if (machineIds().some((id) => !locator.here(id))) looking.run();
  }

  async function look(): Promise<void> {
    // Taken before the machines are located: others may be added meanwhile.
    const operations = [...awaited];
    const sightings = await locator.everywhere(machineIds());
    for (const operation of operations)
      void step(operation, sightOf(operation, sightings.get(operation.request.machineId)));
  }

  const machineIds = () => [...awaited].map(({ request }) => request.machineId);

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
    const { request, sent, giveUpAt, isOverdue } = operation;
    const { machineId } = request;
    const now = performance.now();
    const { resendMs, offlineMs } = times;
    const limits = { now, giveUpAt, isOverdue, resendMs, offlineForMs: watch(operation, sight), offlineMs };
    const next = decideNext({ machineId, hasEffects: hasEffects(request.name), ...sight, sent, ...limits });
    if (next.action === 'reject') return operation.reject(new AppError(next.code));
    if (next.action === 'report unknown')
      return operation.resolve({ status: 'unknown', message: next.message });
    if (next.action === 'give up') return giveUp(operation, next.message);
    if (next.action === 'cancel') return endOverdue(operation);
    if (next.action === 'wait' || !sight.location) return;
    if (!sent && isRecorded(request)) {
      await record(operation, sight.location);
      return act(operation, sight);
    }
    const { connectionId, instanceId } = sight.location;
    noteDelivery(operation, { machineId, instanceId: sent?.instanceId ?? instanceId, connectionId, at: now });
    send(machineId, sight.location, operation.frame, operation.request.traceParent);
  }

  /** Shows that the machine is offline or back, and returns how long it has been offline. */
  function watch(operation: Awaited, { isKnown, isPaired, location }: Sight): number | undefined {
    const { run, sent, offlineSince } = operation;
    if (!isKnown || !isPaired) return undefined;
    if (location) {
      if (offlineSince !== undefined) run.onProgress('The machine is connected again.\n');
      operation.offlineSince = undefined;
      return undefined;
    }
    const now = clock.now().getTime();
    operation.offlineSince ??= now;
    if (offlineSince === undefined) run.onProgress(offlineProgress(sent !== undefined, times));
    return now - operation.offlineSince;
  }

  /** The turn continues. The outcome is asked for when the machine is back; what still runs there is ended then. */
  async function giveUp(operation: Awaited, message: string): Promise<void> {
    // Another node may run the turn by now, and wait for the same operation.
    if (dependencies.hasLapsed()) return;
    const { workspaceId, machineId, id } = operation.request;
    if (isRecorded(operation.request))
      await operationStore.markLost(database.within(workspaceId), workspaceId, id);
    else cancel(machineId, id);
    operation.resolve({ status: 'unknown', message });
  }

  /** It may still wait on the machine for others to finish, and must not start after its turn has continued. */
  function endOverdue(operation: Awaited): void {
    operation.isOverdue = true;
    operation.giveUpAt = performance.now() + times.graceMs;
    const { machineId, id } = operation.request;
    // Another node may run the turn by now, and wait for the same operation.
    if (!dependencies.hasLapsed()) cancel(machineId, id);
  }

  /** What the node that ran this turn before has sent, and may have given up. */
  async function recall(operation: Awaited): Promise<void> {
    const { id, workspaceId } = operation.request;
    const earlier = await operationStore.recallCall(database.within(workspaceId), workspaceId, id);
    if (earlier) noteDelivery(operation, { ...earlier, connectionId: undefined, at: performance.now() });
    operation.isRecalled = true;
  }

  async function record(operation: Awaited, { instanceId }: MachineLocation): Promise<void> {
    const { id, workspaceId, machineId, name, conversationId } = operation.request;
    if (conversationId === undefined) return;
    const call = { id, machineId, instanceId, name, conversationId };
    const first = await operationStore.recordCall(database.within(workspaceId), workspaceId, call);
    noteDelivery(operation, { ...first, connectionId: undefined, at: performance.now() });
  }

  function noteDelivery(operation: Awaited, delivery: Delivery): void {
    if (!operation.sent) operation.giveUpAt = delivery.at + operation.request.timeLimitMs + times.graceMs;
    operation.sent = delivery;
  }

  return {
    perform,
    /** A frame of a machine, possibly about an operation of another performer. */
    receive(machineId: string, frame: ProgressFrame | ResultFrame): void {
      for (const { request, run, resolve } of awaited) {
        // No machine can answer for another.
        if (request.id !== frame.id || request.machineId !== machineId) continue;
        if (frame.type === 'result') resolve(frame.outcome);
        else run.onProgress(frame.text);
      }
    },
    advance,
    /** Whether something waits for a machine. */
    isWaiting: (): boolean => awaited.size > 0,
    isWaitingFor: (machineId: string): boolean => machineIds().includes(machineId),
    /** Leaves all operations to other nodes. */
    async close(): Promise<void> {
      isClosed = true;
      for (const operation of awaited) withdraw(operation, new ContinuesElsewhere(stopping));
      await looking.idle();
    },
  };
}

/** Operations with effects are recorded before they are sent, except when a tool is tested. */
function isRecorded({ name, conversationId }: OperationRequest): boolean {
  return hasEffects(name) && conversationId !== undefined;
}

function sightOf({ request }: Awaited, sighting: Sighting | undefined): Sight {
  const isPaired = sighting?.workspaceId === request.workspaceId;
  return { isPaired, location: sighting?.location, isKnown: true };
}

function offlineProgress(wasSent: boolean, { offlineMs, connectMs }: Times): string {
  const [what, ms] = wasSent ? ['has gone offline', offlineMs] : ['is not connected', connectMs];
  return `The machine ${what}. Waiting up to ${ms / 1000} seconds for it.\n`;
}
