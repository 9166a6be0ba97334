import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Launch } from './launch.ts';
import { askSandboxToEnd, endTree } from './process-tree/end-tree.ts';
import { type ProcessOutput, type StartedProcess, startProcess } from './start-process.ts';

export interface ProcessEnd {
  exitCode: number | null;
  signal: string | null;
  /** It was ended because the signal was aborted. */
  isAborted: boolean;
  /** Why the sandbox could not be set up; the command then never ran. */
  sandboxFailure?: string;
}

interface ProcessRun extends ProcessOutput {
  signal: AbortSignal;
  /** How long the processes may take to end when they are asked to. */
  graceMs: number;
}

/** For processes that the command left running: nothing would end them later. */
const leftoverGraceMs = 500;
/** Output ends with the processes, unless something that is not part of the command has the pipe. */
const outputEndMs = 2000;

/** Runs a program until it and all processes that it started have ended. They are ended when the signal is aborted. */
export async function runProcess(
  launch: Launch,
  { signal, graceMs, ...output }: ProcessRun,
): Promise<ProcessEnd> {
  const started = await startProcess(launch, output);
  const { child, pid, outputs } = started;
  const exited = once(child, 'exit') as Promise<[number | null, string | null]>;
  const closed = outputs.map((stream) => new Promise((resolve) => stream.once('close', resolve)));
  let ending: Promise<void> | undefined;
  const stop = () => {
    ending = end(launch, child, exited, graceMs);
  };
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  try {
    const [exitCode, endSignal] = await exited;
    signal.removeEventListener('abort', stop);
    await ending;
    if (!launch.isSandboxed) await endTree(pid, launch.marker, ending ? 0 : leftoverGraceMs);
    await Promise.race([Promise.all(closed), sleep(outputEndMs, undefined, { ref: false })]);
    if (ending) return { ...describeEnding(exitCode, endSignal), isAborted: true };
    const failure = launch.isSandboxed && sandboxFailure(exitCode, started);
    return { exitCode, signal: endSignal, isAborted: false, ...failure };
  } finally {
    for (const stream of outputs) stream.destroy();
    started.stopWatchdog();
  }
}

async function end(
  launch: Launch,
  child: ChildProcess,
  exited: Promise<unknown>,
  graceMs: number,
): Promise<void> {
  if (child.pid === undefined) return;
  if (!launch.isSandboxed) return endTree(child.pid, launch.marker, graceMs);
  if (graceMs > 0) {
    await askSandboxToEnd(child.pid, launch.marker);
    await Promise.race([exited, sleep(graceMs, undefined, { ref: false })]);
  }
  // The kernel ends everything in the sandbox together with it, but does not wait for that.
  child.kill('SIGKILL');
  await exited;
  await endTree(undefined, launch.marker, 0);
}

/** Shells and bubblewrap report a signal as an exit code above 128. */
function describeEnding(exitCode: number | null, signal: string | null) {
  if (exitCode === null || exitCode <= 128) return { exitCode, signal };
  const name = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)?.[0];
  return name === undefined ? { exitCode, signal } : { exitCode: null, signal: name };
}

function sandboxFailure(exitCode: number | null, { status, errors }: StartedProcess) {
  if (exitCode === null || status().includes('"exit-code"')) return undefined;
  return { sandboxFailure: errors().trim() || `bubblewrap ended with exit code ${exitCode}` };
}
