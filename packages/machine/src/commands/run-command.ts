import { release } from 'node:os';
import { join } from 'node:path';
import {
  type CommandEnd,
  defaultTimeLimitSeconds,
  type Outcome,
  type RunCommand,
} from '@svc/contract/machine-protocol';
import type { Operation, WorkRun } from '../operations/work.ts';
import type { CommandWorkOptions } from './command-work-options.ts';
import { type Launch, prepareLaunch } from './launch.ts';
import { HeadAndTail } from './output/head-and-tail.ts';
import { ProgressStream } from './output/progress-stream.ts';
import { runProcess } from './run-process.ts';
import { shellCommand } from './shell-command.ts';

/** How long the processes of a command may take to end when they are asked to. */
export const graceMs = 2000;
/** Enough for large builds, and few enough to end them quickly. */
const defaultMaxProcesses = 4096;

/** A command that can be started. */
export interface ReadyCommand {
  launch: Launch;
  cwd: string;
}

/** Checks a command and where it runs; `failure` is for the model. */
export async function prepareCommand(
  options: CommandWorkOptions,
  operation: Operation,
  signal: AbortSignal,
): Promise<ReadyCommand | { failure: string }> {
  const { roots, environment, resolveDirectory } = options;
  const { command, path, network } = operation.arguments as RunCommand;
  if (command.includes('\0')) return { failure: 'The command contains a NUL character.' };
  const cwd = await resolveDirectory(roots, operation.workdir, path);
  const approved = operation.basis?.cwd;
  if (approved !== undefined && approved !== cwd)
    return {
      failure: `The command was approved for ${approved}, but its directory is now ${cwd}. It was not run.`,
    };
  if (signal.aborted) return { failure: 'The command was cancelled before it started.' };
  const needsNetwork = network === true && options.sandbox?.hasNetwork === false;
  const sandbox = needsNetwork ? await options.openNetworkSandbox() : options.sandbox;
  const maxProcesses = countsPerNamespace() ? (options.maxProcesses ?? defaultMaxProcesses) : undefined;
  const launch = await prepareLaunch({
    operationId: operation.id,
    cwd,
    roots,
    sandbox,
    environment,
    isRootWritable: true,
    hidesSecrets: sandbox?.showsSecrets === false,
    command: shellCommand(command, cwd, sandbox, maxProcesses),
  });
  return { launch, cwd };
}

export async function runCommand(
  options: CommandWorkOptions,
  operation: Operation,
  { signal, onProgress }: WorkRun,
): Promise<Outcome> {
  const { sandbox, stateFolder } = options;
  const { command, time_limit_seconds } = operation.arguments as RunCommand;
  const ready = await prepareCommand(options, operation, signal);
  if ('failure' in ready) return failure(ready.failure);
  const { launch, cwd } = ready;
  const kept = new HeadAndTail();
  const progress = new ProgressStream(onProgress);
  const timeLimit = AbortSignal.timeout((time_limit_seconds ?? defaultTimeLimitSeconds) * 1000);
  const startedAt = performance.now();
  const end = await runProcess(launch, {
    signal: AbortSignal.any([signal, timeLimit]),
    graceMs,
    pipeFolder: join(stateFolder, 'pipes'),
    onOutput(chunk) {
      kept.push(chunk);
      progress.push(chunk);
    },
  });
  progress.end();
  const { text, totalBytes, omittedBytes } = kept.read();
  if (end.sandboxFailure !== undefined) {
    return failure(`The sandbox could not be set up, so the command was not run: ${end.sandboxFailure}`);
  }
  if (end.isAborted && signal.aborted) {
    return failure(
      `The command was cancelled and all its processes were ended. Its output until then:\n${text}`,
    );
  }
  const value: CommandEnd = {
    command,
    cwd,
    exit_code: end.exitCode,
    signal: end.signal,
    timed_out: end.isAborted,
    output: text,
    output_bytes: totalBytes,
    omitted_bytes: omittedBytes,
    duration_ms: Math.round(performance.now() - startedAt),
    sandbox: sandbox ? 'bubblewrap' : 'none',
  };
  return { status: 'ok', value };
}

function failure(message: string): Outcome {
  return { status: 'error', message };
}

/** Since Linux 5.14 the limit counts the processes in the sandbox, before that all processes of the user. */
function countsPerNamespace(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}
