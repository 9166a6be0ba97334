import { once } from 'node:events';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Launch } from './launch.ts';
import { askSandboxToEnd, endTree, send } from './process-tree/end-tree.ts';
import { type ProcessOutput, type StartedProcess, startProcess } from './start-process.ts';

export interface ProcessEnd {
  exitCode: number | null;
  signal: string | null;
  /** Why the sandbox could not be set up; the command then never ran. */
  sandboxFailure?: string;
}

const graceMs = 2000;
/** For processes that the command left running: nobody would end them later. */
const leftoverGraceMs = 500;
/** Output ends with the processes, unless something that is not part of the command has the pipe. */
const outputEndMs = 2000;

/** Runs a program until it and all processes that it started have ended. They are ended when the signal is aborted. */
export async function runProcess(
  launch: Launch,
  { signal, ...output }: ProcessOutput & { signal: AbortSignal },
): Promise<ProcessEnd> {
  const started = await startProcess(launch, output);
  const { child, pid, outputs } = started;
  const exited = once(child, 'exit') as Promise<[number | null, string | null]>;
  const closed = outputs.map((stream) => new Promise((resolve) => stream.once('close', resolve)));
  let ending: Promise<void> | undefined;
  const stop = () => {
    ending = end(launch, pid, exited);
  };
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  try {
    const [exitCode, endSignal] = await exited;
    signal.removeEventListener('abort', stop);
    await ending;
    if (!launch.isSandboxed) await endTree(pid, launch.marker, ending ? 0 : leftoverGraceMs);
    await Promise.race([Promise.all(closed), sleep(outputEndMs, undefined, { ref: false })]);
    if (ending) return describeEnding(exitCode, endSignal);
    return { exitCode, signal: endSignal, ...(launch.isSandboxed && sandboxFailure(exitCode, started)) };
  } finally {
    for (const stream of outputs) stream.destroy();
    started.stopWatchdog();
  }
}

async function end(launch: Launch, pid: number, exited: Promise<unknown>): Promise<void> {
  if (!launch.isSandboxed) return endTree(pid, launch.marker, graceMs);
  await askSandboxToEnd(pid, launch.marker);
  await Promise.race([exited, sleep(graceMs, undefined, { ref: false })]);
  // The kernel ends everything in the sandbox together with it.
  send(pid, 'SIGKILL');
}

/** Shells and bubblewrap report a signal as an exit code above 128. */
function describeEnding(exitCode: number | null, signal: string | null): ProcessEnd {
  if (exitCode === null || exitCode <= 128) return { exitCode, signal };
  const name = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)?.[0];
  return name === undefined ? { exitCode, signal } : { exitCode: null, signal: name };
}

function sandboxFailure(exitCode: number | null, { status, errors }: StartedProcess) {
  if (exitCode === null || status().includes('"exit-code"')) return undefined;
  return { sandboxFailure: errors().trim() || `bubblewrap ended with exit code ${exitCode}` };
}
