import { setTimeout as sleep } from 'node:timers/promises';
import { rulesOf } from '@svc/contract/channels';
import { isConnectionFailure } from '../../database/database.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Leave } from '../../limits/in-progress.ts';
import type { Services } from '../../services.ts';
import { BrokenReply } from '../reply/broken-reply.ts';
import type { TurnState } from '../state.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import { advanceTurn } from '../turn-loop.ts';
import { type TakenTurn, type TurnRow, turnStore } from '../turns.store.ts';
import { patiently } from '../write/write-step.ts';
import { endEarly } from './end-early.ts';
import { handOver } from './hand-over.ts';
import { HandedOver, LeaseLost, logIds, StopRequested, type TurnLease } from './lease.ts';
import { loadState } from './load-state.ts';
import { takePausedTurn } from './take-paused-turn.ts';

interface Running {
  lease: TurnLease;
  abort: AbortController;
  done: Promise<void>;
}

export interface TurnRunnerOptions extends TurnDependencies, Pick<Services, 'inProgress'> {
  /** Work after a turn, which does not delay its end. */
  afterTurn(lease: TurnLease, state: TurnState): Promise<void>;
}

type ReadState = () => Promise<TurnState>;

export type TurnRunner = ReturnType<typeof createTurnRunner>;

const claimBatchSize = 50;
/** How long handing over may take. A turn that was not released by then is taken over once this node is gone. */
const handOverMilliseconds = 2_000;
/** A step that crashes every node must end eventually. Every attempt at it starts a reply. */
const maxAttempts = 20;

/** Why an abandoned turn is not resumed. */
function problemOf({ channel, replyIds }: TakenTurn): string | undefined {
  if (rulesOf(channel).pinnedToNode)
    return 'The turn was cut off: turns of its channel cannot continue on another node.';
  if (replyIds.length >= maxAttempts) return 'The turn could not be completed, however often it was tried.';
  return undefined;
}

/** How a turn that did not complete is counted. */
function outcomeOf(reason: unknown): 'stopped' | 'failed' {
  return reason instanceof StopRequested ? 'stopped' : 'failed';
}

/** Runs the turns that this node holds. */
export function createTurnRunner(options: TurnRunnerOptions) {
  const { database, nodeId, log, telemetry, meters } = options;
  const running = new Map<string, Running>();
  /** Turns that are being admitted: they may be stored already, but are not abandoned. */
  const admitting = new Set<string>();
  /** Turns of this node that were not running at the last sweep. */
  let unattended = new Set<string>();
  let stopping = false;
  /** The grace period is over: turns that start now are handed over before they begin. */
  let isHandingOver = false;
  meters.gauge('turnsInProgress', () => [{ value: running.size }]);

  return {
    /** Runs a turn in the background. `read` returns the state that was just written. */
    start,

    /**
     * Wraps the write that admits a turn and its start. If the write succeeds but its answer is lost, the sweep resumes the turn.
     */
    async admitting<Result>(turnId: string, admit: () => Promise<Result>): Promise<Result> {
      admitting.add(turnId);
      try {
        return await admit();
      } finally {
        admitting.delete(turnId);
      }
    },

    /** Continues a turn that this node has just taken. */
    startFrom,

    /** Ends a turn for this reason if it runs here. Harmless if it does not, and when repeated. */
    abort(turnId: string, reason: StopRequested | AppError): void {
      running.get(turnId)?.abort.abort(reason);
    },

    /** Ends a turn that runs here if its row says that it should stop. */
    async stopIfRequested(turnId: string): Promise<void> {
      const lease = running.get(turnId)?.lease;
      const row =
        lease && (await turnStore.find(database.within(lease.workspaceId), lease.workspaceId, turnId));
      if (row?.stopRequestedAt) stopHere(row);
    },

    /** Resolves when the turn no longer runs here. */
    async waitFor(turnId: string): Promise<void> {
      await running.get(turnId)?.done;
    },

    /** Stops turns whose notification was lost and, unless this node stops, takes over abandoned turns, of this node too. */
    async sweep(): Promise<void> {
      if (!stopping) await takeAbandoned();
      const held = await turnStore.listHeldAcrossWorkspaces(database.acrossWorkspaces, nodeId);
      for (const row of held) if (row.stopRequestedAt) stopHere(row);
      if (stopping) return;
      const isRun = ({ id, fence }: TurnRow) => (running.get(id)?.lease.fence ?? 0) >= fence;
      const left = held.filter((row) => !isRun(row) && !admitting.has(row.id));
      // A turn that was just taken may be about to start: it is abandoned only if the next sweep finds it again.
      const hands = ({ id, fence }: TurnRow) => `${id} ${fence}`;
      for (const row of left.filter((one) => unattended.has(hands(one)))) {
        const taken = await turnStore.take(database.within(row.workspaceId), row.workspaceId, row, nodeId);
        if (taken) await resume(taken);
      }
      unattended = new Set(left.map(hands));
    },

    /** Ends a turn that its owner failed to end; false if it is no longer running. */
    async takeAndEnd(workspaceId: string, turnId: string, reason: StopRequested | AppError) {
      const row = await turnStore.take(database.within(workspaceId), workspaceId, { id: turnId }, nodeId);
      if (row) await endTaken(row, reason);
      return row !== undefined;
    },

    /** Ends a paused turn; false if it is no longer paused. */
    async endPaused(workspaceId: string, turnId: string, reason: StopRequested | AppError): Promise<boolean> {
      const row = await database
        .within(workspaceId)
        .transaction((tx) => takePausedTurn(tx, workspaceId, turnId, options));
      if (row) {
        await endEarly(leaseOf(row), options, { ...row, reason });
        meters.turnsEnded.add(1, outcomeOf(reason));
      }
      return row !== undefined;
    },

    /** Waits for turns to end; after the grace period the others are handed over to other nodes. */
    async stop(graceMilliseconds: number): Promise<void> {
      stopping = true;
      await waitForAll(graceMilliseconds);
      isHandingOver = true;
      for (const { abort } of running.values()) abort.abort(new HandedOver());
      await waitForAll(handOverMilliseconds);
    },
  };

  /** Resolves when no turn runs here, or after this time. */
  async function waitForAll(milliseconds: number): Promise<void> {
    const timeout = sleep(milliseconds, 'timeout', { ref: false });
    while (running.size > 0) {
      const ended = Promise.allSettled([...running.values()].map(({ done }) => done));
      if ((await Promise.race([ended, timeout])) === 'timeout') return;
    }
  }

  async function takeAbandoned(): Promise<void> {
    let taken: TakenTurn[];
    do {
      taken = await turnStore.claimAbandonedAcrossWorkspaces(
        database.acrossWorkspaces,
        nodeId,
        claimBatchSize,
      );
      for (const row of taken) await resume(row);
      // More may be left; other nodes take their share between two batches.
    } while (taken.length === claimBatchSize && !stopping);
  }

  async function resume(row: TakenTurn): Promise<void> {
    log.info(
      { ...logIds(leaseOf(row)), conversation_id: row.conversationId },
      'Taking over an abandoned turn.',
    );
    const problem = problemOf(row);
    if (problem) return endTaken(row, new AppError('INTERNAL', { message: problem }));
    startFrom(row);
  }

  async function endTaken(row: TakenTurn, reason: StopRequested | AppError): Promise<void> {
    await endEarly(leaseOf(row), options, { ...row, reason, wasTaken: true });
    meters.turnsEnded.add(1, outcomeOf(reason));
  }

  function startFrom(row: TakenTurn): void {
    start(leaseOf(row));
    if (row.stopRequestedAt) stopHere(row);
  }

  function stopHere({ id, stopRequestedBy }: TurnRow): void {
    running.get(id)?.abort.abort(new StopRequested(stopRequestedBy ?? 'unknown'));
  }

  function leaseOf(row: TakenTurn): TurnLease {
    const { id: turnId, workspaceId, conversationId, botId, channel, fence, isMetered } = row;
    const { options: given } = row;
    return { turnId, workspaceId, conversationId, botId, channel, nodeId, fence, isMetered, options: given };
  }

  function start(lease: TurnLease, read: ReadState = () => loadState(lease, options)): void {
    // A turn can return to a node that has not noticed yet that it lost it.
    running.get(lease.turnId)?.abort.abort(new LeaseLost());
    const abort = new AbortController();
    // Counted but never refused, because it is admitted already.
    const leave = options.inProgress.count('turns', lease.workspaceId);
    meters.turnsStarted.add(1, lease.channel);
    const done = run(lease, abort.signal, read, leave).finally(() => {
      leave();
      if (running.get(lease.turnId)?.abort === abort) running.delete(lease.turnId);
    });
    running.set(lease.turnId, { lease, abort, done });
    if (isHandingOver) abort.abort(new HandedOver());
  }

  /** Never throws: a failure is written on the turn, or another node has it. */
  async function run(lease: TurnLease, signal: AbortSignal, firstRead: ReadState, leave: Leave) {
    let read = firstRead;
    for (;;) {
      try {
        const state = await advance(lease, await read(), signal);
        leave();
        meters.turnsEnded.add(1, state.ended ? 'completed' : 'paused');
        return await workAfter(lease, state);
      } catch (error) {
        const broken = error instanceof BrokenReply ? error : undefined;
        const reason: unknown = signal.aborted ? signal.reason : (broken?.cause ?? error);
        if (reason instanceof LeaseLost) return sayLost(lease);
        // A provider's failure may look like one of the database.
        if (!(reason instanceof AppError) && isConnectionFailure(reason)) {
          log.warn(logIds(lease), 'A turn waits for the database.');
          await sleep(1_000);
          read = () => loadState(lease, options);
          continue;
        }
        return finish(lease, reason, broken);
      }
    }
  }

  function advance(lease: TurnLease, state: TurnState, signal: AbortSignal): Promise<TurnState> {
    const { request_id: requestId, trace_parent: traceParent } = lease.options;
    const observed = { ...lease, requestId, traceParent, botName: state.bot.name, signal };
    return telemetry.turn(observed, () => advanceTurn(lease, state, options, signal));
  }

  async function finish(lease: TurnLease, reason: unknown, broken: BrokenReply | undefined): Promise<void> {
    try {
      if (reason instanceof HandedOver) {
        await handOver(lease, broken?.spent ?? [], options);
        return meters.turnsEnded.add(1, 'handed_over');
      }
      const ids = logIds(lease);
      if (reason instanceof AppError) log.warn({ code: reason.code, ...ids }, 'A turn failed.');
      else if (!(reason instanceof StopRequested)) log.error({ err: reason, ...ids }, 'A turn failed.');
      const find = () => turnStore.find(database.within(lease.workspaceId), lease.workspaceId, lease.turnId);
      const turn = await patiently(lease, log, find);
      const { steps = 0, replyIds = [] } = turn ?? {};
      await endEarly(lease, options, { steps, replyIds, reason, broken });
      meters.turnsEnded.add(1, outcomeOf(reason));
    } catch (error) {
      if (error instanceof LeaseLost) return sayLost(lease);
      log.error({ err: error, ...logIds(lease) }, 'A turn could not be ended; it will be resumed.');
      meters.turnsEnded.add(1, 'handed_over');
      await turnStore.handOver(database.within(lease.workspaceId), lease).catch((failure: unknown) => {
        log.error(
          { err: failure, ...logIds(lease) },
          'The turn could not be handed over either; the next sweep takes it up.',
        );
      });
    }
  }

  function sayLost(lease: TurnLease): void {
    log.warn(logIds(lease), 'Another node has this turn now, or it has ended.');
    meters.turnsEnded.add(1, 'lost');
    const here = running.get(lease.turnId);
    // Unless the turn has returned to this node, its readers must drop what they previewed here.
    if (!here || here.lease.fence === lease.fence) void options.feed.catchUp(lease.conversationId);
  }

  async function workAfter(lease: TurnLease, state: TurnState): Promise<void> {
    try {
      await options.afterTurn(lease, state);
    } catch (error) {
      // The cause of a model's failure has the provider's message, which may repeat what users wrote.
      const reason = error instanceof AppError ? { code: error.code, reason: error.message } : { err: error };
      log.warn({ ...reason, ...logIds(lease) }, 'The work after a turn failed.');
    }
  }
}
