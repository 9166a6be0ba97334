import {
  type CancelFrame,
  maxTextCharacters,
  type OperationFrame,
  type OperationName,
  type Outcome,
  operationNames,
  type ProgressFrame,
  type ResultFrame,
} from '@svc/contract/machine-protocol';
import { explain } from '../explained-error.ts';
import type { Admit } from '../policy/gate.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { boundOutcome } from './bound-outcome.ts';
import { faultOfArguments } from './check-arguments.ts';
import type { Journal } from './journal.ts';
import { createLane } from './lane.ts';
import { createLanes } from './lanes.ts';
import { reportOperations } from './report-operations.ts';
import type { Operation, Work } from './work.ts';

export interface Operations {
  /** Settles what a previous process left unfinished. Before it is done, nothing may be handled. */
  recover(): Promise<void>;
  handle(frame: OperationFrame | CancelFrame): void;
  /**
   * Drops what has not started. The service sends again what it still wants, and could not cancel the rest while it is not
   * connected.
   */
  dropWaiting(): void;
  /** The service is connected again, and sends again what it waits for. Cancels the rest after a while. */
  expectAgain(): void;
  /** Cancels what is running and waits for it; what is waiting never starts. */
  stop(): Promise<void>;
}

interface OperationsOptions {
  work: Work;
  /** Decides what may run at all. */
  admit: Admit;
  journal: Journal;
  terminal: Terminal;
  /** Sends to the service if it is connected. What is lost is requested again. */
  send(frame: ProgressFrame | ResultFrame): void;
  /** How long the service has for that: another node may have to take the turn over first. */
  claimMs?: number;
}

/** An operation that has arrived and has no result yet. */
interface Entry {
  controller: AbortController;
  done: Promise<void>;
  /** The service expects a result; it does not if it only cancelled an operation that never arrived. */
  isAwaited: boolean;
  isStarted: boolean;
  /** Sent on the current connection: the service still waits for it. */
  isClaimed: boolean;
  settle(outcome: Outcome | undefined): void;
}

const effects: readonly OperationName[] = operationNames.filter(
  (name) => !['check_workdir', 'list_files', 'read_file', 'search', 'preview'].includes(name),
);
const notCancellable = new AbortController().signal;

/** Carries out each operation at most once, whatever is sent twice, lost or interrupted. */
export function createOperations({
  work,
  admit,
  journal,
  terminal,
  send,
  claimMs = 5 * 60 * 1000,
}: OperationsOptions): Operations {
  const report = reportOperations(terminal);
  const entries = new Map<string, Entry>();
  const laneFor = createLanes();
  const refusals = createLane({ concurrency: 4, maxWaiting: 1000 });
  let isStopping = false;
  let claiming: NodeJS.Timeout | undefined;

  function add(id: string, isAwaited: boolean): Entry {
    let finish: () => void = () => undefined;
    const done = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const settle = (outcome: Outcome | undefined) => {
      entries.delete(id);
      if (outcome && entry.isAwaited) send({ type: 'result', id, outcome });
      finish();
    };
    const controller = new AbortController();
    const entry: Entry = { controller, done, isAwaited, isStarted: false, isClaimed: true, settle };
    entries.set(id, entry);
    return entry;
  }

  function receive(frame: OperationFrame): void {
    const running = entries.get(frame.id);
    // The same operation again: the result goes to whichever connection is open when it is there.
    if (running) Object.assign(running, { isAwaited: true, isClaimed: true });
    if (running || isStopping) return;
    const entry = add(frame.id, true);
    if (journal.isFinished(frame.id)) {
      void journal.read(frame.id).then(entry.settle);
      return;
    }
    const fault = faultOfArguments(frame.name, frame.arguments);
    if (fault) {
      report.malformed(frame.name, fault);
      entry.settle({ status: 'error', message: fault });
      return;
    }
    const isEntered = laneFor(frame.name).enter(
      entry.controller.signal,
      () => run(frame, entry),
      () => void withdraw(frame, entry),
    );
    if (isEntered) return;
    report.refused(frame, 'too many are waiting');
    entry.settle({ status: 'error', message: 'Too many operations are waiting on this machine.' });
  }

  async function run(frame: OperationFrame, entry: Entry): Promise<void> {
    entry.isStarted = true;
    const admission = await admit(frame, entry.controller.signal);
    if (entry.controller.signal.aborted) return withdraw(frame, entry);
    if ('refusal' in admission) {
      report.refused(frame, admission.refusal);
      return entry.settle({ status: 'error', message: admission.refusal });
    }
    const finished = report.started(frame, hasEffects(frame));
    const operation = { ...operationOf(frame), ...admission };
    const outcome = boundOutcome(
      hasEffects(frame) ? await carryOutOnce(frame, operation, entry) : await read(frame, operation, entry),
    );
    entry.settle(outcome);
    finished(outcome);
  }

  async function carryOutOnce(frame: OperationFrame, operation: Operation, entry: Entry): Promise<Outcome> {
    try {
      await journal.start(frame);
    } catch (error) {
      return { status: 'error', message: explain(error) };
    }
    let outcome: Outcome;
    try {
      const isCancelled = entry.controller.signal.aborted;
      outcome = isCancelled ? cancelled : boundOutcome(await work.perform(operation, runOf(frame, entry)));
    } catch (error) {
      terminal.warn(`${frame.name} failed unexpectedly: ${explain(error)}`);
      outcome = await recoverOne(frame);
    }
    await journal.finish(frame, outcome);
    return outcome;
  }

  async function read(frame: OperationFrame, operation: Operation, entry: Entry): Promise<Outcome> {
    try {
      return await work.perform(operation, runOf(frame, entry));
    } catch (error) {
      return { status: 'error', message: `${frame.name} failed on the machine: ${explain(error)}` };
    }
  }

  /** It was cancelled while it waited, or dropped: then it may run later, when the service sends it again. */
  async function withdraw(frame: OperationFrame, entry: Entry): Promise<void> {
    if (entry.controller.signal.reason === dropped) return entry.settle(undefined);
    if (hasEffects(frame)) await journal.forbid(frame.id, cancelled);
    report.refused(frame, 'cancelled');
    entry.settle(cancelled);
  }

  function cancel(id: string): void {
    const running = entries.get(id);
    if (running) return running.controller.abort(new Error('cancelled'));
    if (journal.isFinished(id)) return;
    const entry = add(id, false);
    const forbid = async () => {
      await journal.forbid(id, cancelled);
      entry.settle(cancelled);
    };
    if (refusals.enter(notCancellable, forbid, () => undefined)) return;
    entry.settle(undefined);
    terminal.warn('the service cancels too many operations that it never sent; some were ignored.');
  }

  function dropWaiting(): void {
    for (const { isStarted, controller } of entries.values()) if (!isStarted) controller.abort(dropped);
  }

  /** Its turn was stopped while this machine was away, or by a node that crashed before it could cancel it. */
  function cancelUnclaimed(): void {
    for (const [id, { isStarted, isClaimed, controller }] of entries) {
      if (!isStarted || isClaimed || controller.signal.aborted) continue;
      terminal.warn(`the service no longer waits for operation ${id}: it is cancelled.`);
      controller.abort(new Error('cancelled'));
    }
  }

  async function recoverOne({ id, name }: { id: string; name: OperationName }): Promise<Outcome> {
    try {
      return boundOutcome(await work.recover({ id, name }));
    } catch (error) {
      return { status: 'unknown', message: `${name} was interrupted, and ${explain(error)}` };
    }
  }

  function runOf({ id }: OperationFrame, entry: Entry) {
    return {
      signal: entry.controller.signal,
      onProgress(text: string) {
        send({ type: 'progress', id, text: text.slice(0, maxTextCharacters) });
      },
    };
  }

  return {
    async recover() {
      for (const operation of await journal.listUnfinished()) {
        const outcome = await recoverOne(operation);
        await journal.finish(operation, outcome);
        report.recovered(operation, outcome);
      }
    },
    handle: (frame) => (frame.type === 'cancel' ? cancel(frame.id) : receive(frame)),
    dropWaiting,
    expectAgain() {
      for (const entry of entries.values()) entry.isClaimed = false;
      clearTimeout(claiming);
      claiming = setTimeout(cancelUnclaimed, claimMs).unref();
    },
    async stop() {
      isStopping = true;
      clearTimeout(claiming);
      dropWaiting();
      const unfinished = [...entries.values()];
      for (const { controller } of unfinished) controller.abort(new Error('svc-machine is stopping'));
      await Promise.all(unfinished.map(({ done }) => done));
    },
  };
}

/** Why an operation was aborted that is to leave no trace. */
const dropped = new Error('It was dropped before it started.');
const cancelled: Outcome = { status: 'error', message: 'It was cancelled before it started.' };

function hasEffects({ name }: OperationFrame): boolean {
  return effects.includes(name);
}

function operationOf({ id, name, workdir, arguments: given, basis }: OperationFrame) {
  return { id, name, workdir, arguments: given, ...(basis && { basis }) };
}
