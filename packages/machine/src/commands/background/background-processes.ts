import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Outcome,
  ProcessState,
  ReadProcess,
  StartProcess,
  StopProcess,
} from '@svc/contract/machine-protocol';
import type { Operation, WorkRun } from '../../operations/work.ts';
import type { CommandWorkOptions } from '../command-work-options.ts';
import { HeadAndTail } from '../output/head-and-tail.ts';
import { graceMs, prepareCommand, type ReadyCommand } from '../run-command.ts';
import { type ProcessEnd, runProcess } from '../run-process.ts';

const defaultLimits = {
  /** A session is over when nothing was done for its conversation for this long. */
  idleMs: 30 * 60_000,
  maxRunning: 8,
  /** Those that have ended are kept to be read, the latest of them. */
  maxEnded: 20,
  /** How long a start waits: a command that fails at once is reported with its output. */
  startMs: 1_000,
  /** Calls back after some time, unless the function that it returns is called before. */
  startTimer(onTime: () => void, ms: number): () => void {
    const timer = setTimeout(onTime, ms).unref();
    return () => clearTimeout(timer);
  },
};

export type BackgroundLimits = typeof defaultLimits;

interface Background {
  id: string;
  command: string;
  cwd: string;
  conversationId: string | null;
  controller: AbortController;
  unread: HeadAndTail;
  hasOutput: boolean;
  startedAt: number;
  end: (ProcessEnd & { durationMs: number }) | undefined;
  done: Promise<void>;
}

/** Commands that run while the conversation that started them continues. All end with the daemon. */
export function createBackgroundProcesses(
  options: CommandWorkOptions,
  changed: Partial<BackgroundLimits> = {},
) {
  const limits = { ...defaultLimits, ...changed };
  const processes = new Map<string, Background>();
  /** For each conversation with processes for which nothing is done at the moment: stops the timer that ends them. */
  const idle = new Map<string | null, () => void>();
  /** How many operations are in progress for each conversation. */
  const active = new Map<string | null, number>();
  /** Those that are about to run. */
  let starting = 0;

  const isRunning = ({ end }: Background) => end === undefined;
  const ofSession = (conversationId: string | null) =>
    [...processes.values()].filter((one) => one.conversationId === conversationId);

  /** Does something for a conversation, whose session is not over before that has ended. */
  async function during<Result>(conversationId: string | null, work: () => Promise<Result>): Promise<Result> {
    idle.get(conversationId)?.();
    idle.delete(conversationId);
    active.set(conversationId, (active.get(conversationId) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const others = (active.get(conversationId) ?? 1) - 1;
      if (others > 0) active.set(conversationId, others);
      else {
        active.delete(conversationId);
        if (ofSession(conversationId).length > 0)
          idle.set(
            conversationId,
            limits.startTimer(() => endSession(conversationId), limits.idleMs),
          );
      }
    }
  }

  function endSession(conversationId: string | null): void {
    idle.delete(conversationId);
    for (const one of ofSession(conversationId)) {
      one.controller.abort();
      processes.delete(one.id);
    }
  }

  async function start(operation: Operation, { signal }: WorkRun): Promise<Outcome> {
    if (starting + [...processes.values()].filter(isRunning).length >= limits.maxRunning)
      return failure(`${limits.maxRunning} processes run in the background already: stop one of them first.`);
    starting += 1;
    const process = await prepareCommand(options, operation, signal)
      .then((ready) => ('failure' in ready ? ready : launch(operation, ready)))
      .finally(() => (starting -= 1));
    if ('failure' in process) return failure(process.failure);
    await Promise.race([process.done, sleep(limits.startMs, undefined, { ref: false })]);
    return describe(process);
  }

  function launch(operation: Operation, ready: ReadyCommand): Background {
    const controller = new AbortController();
    const { command } = operation.arguments as StartProcess;
    const process: Background = {
      id: randomBytes(4).toString('hex'),
      command,
      cwd: ready.cwd,
      conversationId: operation.conversationId ?? null,
      controller,
      unread: new HeadAndTail(),
      hasOutput: false,
      startedAt: performance.now(),
      end: undefined,
      done: Promise.resolve(),
    };
    const ended = runProcess(ready.launch, {
      signal: controller.signal,
      graceMs,
      pipeFolder: join(options.stateFolder, 'pipes'),
      onOutput(chunk) {
        process.unread.push(chunk);
        process.hasOutput = true;
      },
    });
    process.done = ended.then(
      (end) => finish(process, end),
      // It could not be started at all.
      (error: unknown) => {
        process.unread.push(Buffer.from(error instanceof Error ? error.message : String(error)));
        finish(process, { exitCode: null, signal: null, isAborted: false });
      },
    );
    processes.set(process.id, process);
    return process;
  }

  function finish(process: Background, end: ProcessEnd): void {
    if (end.sandboxFailure !== undefined)
      process.unread.push(Buffer.from(`The sandbox could not be set up: ${end.sandboxFailure}`));
    process.end = { ...end, durationMs: performance.now() - process.startedAt };
    const ended = [...processes.values()].filter((one) => !isRunning(one));
    for (const one of ended.slice(0, -limits.maxEnded)) processes.delete(one.id);
  }

  async function read(process: Background, { wait_seconds: seconds = 0 }: ReadProcess, signal: AbortSignal) {
    const until = performance.now() + seconds * 1000;
    while (isRunning(process) && !process.hasOutput && performance.now() < until && !signal.aborted)
      await Promise.race([process.done, sleep(100, undefined, { ref: false })]);
    return describe(process);
  }

  async function stop(process: Background): Promise<Outcome> {
    process.controller.abort();
    await process.done;
    return describe(process);
  }

  /** With the output that was not read before. */
  function describe(process: Background): Outcome {
    const { id, command, cwd, end, startedAt } = process;
    const { text, omittedBytes } = process.unread.read();
    process.unread = new HeadAndTail();
    process.hasOutput = false;
    const value: ProcessState = {
      process_id: id,
      command,
      cwd,
      running: end === undefined,
      exit_code: end?.exitCode ?? null,
      signal: end?.signal ?? null,
      output: text,
      omitted_bytes: omittedBytes,
      duration_ms: Math.round(end?.durationMs ?? performance.now() - startedAt),
    };
    return { status: 'ok', value };
  }

  return {
    during,
    start,
    /** Only the conversation that started a process can read and stop it. */
    async handle(operation: Operation, { signal }: WorkRun): Promise<Outcome> {
      const given = operation.arguments as ReadProcess | StopProcess;
      const process = processes.get(given.process_id);
      if (process?.conversationId !== (operation.conversationId ?? null) || !process)
        return failure(
          `There is no process ${JSON.stringify(given.process_id)} of this conversation. Processes end with svc-machine, and when nothing was done in their conversation for half an hour.`,
        );
      return operation.name === 'stop_process' ? stop(process) : read(process, given, signal);
    },
    async close(): Promise<void> {
      for (const stopTimer of idle.values()) stopTimer();
      const all = [...processes.values()];
      for (const { controller } of all) controller.abort();
      await Promise.allSettled(all.map(({ done }) => done));
    },
  };
}

function failure(message: string): Outcome {
  return { status: 'error', message };
}
