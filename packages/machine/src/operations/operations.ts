import {
  ApplyPatch,
  type CancelFrame,
  EditFile,
  ListFiles,
  maxFrameBytes,
  maxFrameValues,
  maxTextCharacters,
  type OperationFrame,
  type OperationName,
  type Outcome,
  Preview,
  type ProgressFrame,
  ReadFile,
  ReadProcess,
  type ResultFrame,
  Revert,
  RunCommand,
  Search,
  StartProcess,
  StopProcess,
  WriteFile,
} from '@svc/contract/machine-protocol';
import { type TSchema, Type } from 'typebox';
import { Check } from 'typebox/schema';
import { explain } from '../explained-error.ts';
import type { Admit } from '../policy/gate.ts';
import { escapeText } from '../terminal/escape-text.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { describeOperation, describeOutcome } from './describe-operation.ts';
import type { Journal } from './journal.ts';
import { createLane } from './lane.ts';
import { createLanes } from './lanes.ts';
import type { Operation, Work } from './work.ts';

export type Operations = ReturnType<typeof createOperations>;

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

/** May be carried out again: reading, and stopping what may have been stopped already. */
const repeatable: readonly OperationName[] = [
  'check_workdir',
  'describe_project',
  'list_files',
  'read_file',
  'search',
  'preview',
  'read_process',
  'stop_process',
];
const notCancellable = new AbortController().signal;

/** Carries out each operation at most once, whatever is sent twice, lost or interrupted. */
export function createOperations(options: {
  work: Work;
  /** Decides what may run at all. */
  admit: Admit;
  journal: Journal;
  terminal: Terminal;
  /** Sends to the service if it is connected. What is lost is requested again. */
  send(frame: ProgressFrame | ResultFrame): void;
  /** How long the service has for that: another node may have to take the turn over first. */
  claimMs?: number;
}) {
  const { work, admit, journal, terminal, send, claimMs = 5 * 60 * 1000 } = options;
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

  /**
   * Drops what has not started. The service sends again what it still wants, and could not cancel the rest while it is not
   * connected.
   */
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
    /** Settles what a previous process left unfinished. Before it is done, nothing may be handled. */
    async recover(): Promise<void> {
      for (const operation of await journal.listUnfinished()) {
        const outcome = await recoverOne(operation);
        await journal.finish(operation, outcome);
        report.recovered(operation, outcome);
      }
    },
    handle: (frame: OperationFrame | CancelFrame) =>
      frame.type === 'cancel' ? cancel(frame.id) : receive(frame),
    dropWaiting,
    /** The service is connected again, and sends again what it waits for. Cancels the rest after a while. */
    expectAgain(): void {
      for (const entry of entries.values()) entry.isClaimed = false;
      clearTimeout(claiming);
      claiming = setTimeout(cancelUnclaimed, claimMs).unref();
    },
    /** Cancels what is running and waits for it; what is waiting never starts. */
    async stop(): Promise<void> {
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
  return !repeatable.includes(name);
}

function operationOf({ id, name, workdir, arguments: given, basis, requested_by }: OperationFrame) {
  const conversationId = requested_by.conversation_id;
  return { id, name, workdir, arguments: given, conversationId, ...(basis && { basis }) };
}

/** Room for the frame around the outcome. */
const maxOutcomeBytes = maxFrameBytes - 1024;

/** The outcome within the limits of the protocol, so that it can be stored and sent. */
function boundOutcome(outcome: Outcome): Outcome {
  if (outcome.status !== 'ok') {
    return { status: outcome.status, message: outcome.message.slice(0, maxTextCharacters) };
  }
  const text = JSON.stringify(outcome);
  if (Buffer.byteLength(text) <= maxOutcomeBytes && countValues(outcome) < maxFrameValues) return outcome;
  return { status: 'error', message: 'It was carried out, but its result is too large to be sent.' };
}

/** At least as many as there are brackets and commas in its JSON. */
function countValues(value: unknown): number {
  if (value === null || typeof value !== 'object') return 1;
  return Object.values(value).reduce((sum: number, inner) => sum + countValues(inner), 2);
}

const schemas: Record<OperationName, TSchema> = {
  check_workdir: Type.Object({}),
  describe_project: Type.Object({}),
  list_files: ListFiles,
  read_file: ReadFile,
  search: Search,
  preview: Preview,
  write_file: WriteFile,
  edit_file: EditFile,
  apply_patch: ApplyPatch,
  run_command: RunCommand,
  start_process: StartProcess,
  read_process: ReadProcess,
  stop_process: StopProcess,
  revert: Revert,
};

/** What is wrong with the arguments of an operation; undefined if nothing is. */
function faultOfArguments(name: OperationName, given: Record<string, unknown>): string | undefined {
  if (!Check(schemas[name], given)) return `The machine received invalid arguments of ${name}.`;
  if (name !== 'preview') return undefined;
  const { operation, arguments: previewed } = given as unknown as Preview;
  return faultOfArguments(operation, previewed);
}

/** Shows in the terminal what is done, for whom, with what outcome. */
function reportOperations(terminal: Terminal) {
  return {
    /** Returns what reports the end. Only operations with effects are announced: reads are over in a moment. */
    started(frame: OperationFrame, isAnnounced: boolean): (outcome: Outcome) => void {
      const startedAt = performance.now();
      const what = subject(frame);
      if (isAnnounced) terminal.line(`${what}: started`);
      return (outcome) => {
        const tone = outcome.status === 'ok' ? (isAnnounced ? 'good' : 'quiet') : 'bad';
        const duration = durationText(performance.now() - startedAt);
        terminal.line(`${what}: ${describeOutcome(frame.name, outcome)} (${duration})`, tone);
      };
    },
    malformed(name: OperationName, fault: string): void {
      terminal.line(`${name}: not started, ${escapeText(fault)}`, 'bad');
    },
    refused(frame: OperationFrame, reason: string): void {
      terminal.line(`${subject(frame)}: not started, ${escapeText(reason)}`, 'bad');
    },
    recovered({ id, name }: { id: string; name: OperationName }, outcome: Outcome): void {
      terminal.line(`${name} ${id} was interrupted: ${describeOutcome(name, outcome)}`, 'bad');
    },
  };
}

function subject(frame: OperationFrame): string {
  const { bot, conversation_id: conversation } = frame.requested_by;
  const bots = bot === null ? 'svc' : escapeText(bot, 60);
  const where = conversation === null ? '' : ` in conversation ${escapeText(conversation, 40)}`;
  return `[${bots}${where}] ${describeOperation(frame)}`;
}

function durationText(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
