import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import type { Readable } from 'node:stream';
import { inheritedFiles } from './environment/inherited-files.ts';
import type { Launch } from './launch.ts';
import { openOutputPipe } from './output/output-pipe.ts';
import { startWatchdog } from './process-tree/watchdog.ts';

export interface ProcessOutput {
  onOutput(chunk: Buffer): void;
  /** Standard error; without it, both streams go to `onOutput` in their order. */
  onErrorOutput?(chunk: Buffer): void;
  /** Where the pipe for the output is made. */
  pipeFolder: string;
}

export interface StartedProcess {
  child: ChildProcess;
  pid: number;
  outputs: Readable[];
  /** What bubblewrap reports about the command, as JSON. */
  status(): string;
  /** What bubblewrap reports about itself. */
  errors(): string;
  stopWatchdog(): void;
}

/** Enough for the reason of a failure. */
const maxKeptCharacters = 10_000;

export async function startProcess(launch: Launch, output: ProcessOutput): Promise<StartedProcess> {
  const pipe = process.platform === 'win32' ? undefined : await openOutputPipe(output.pipeFolder);
  const watchdog = launch.isSandboxed ? undefined : startWatchdog(launch.marker);
  const sharesPipe = !launch.isSandboxed && !output.onErrorOutput;
  const nothing = openSync(devNull, 'r');
  const inherited = inheritedFiles();
  // From number 3; other numbers are not opened.
  const closeInherited = Array.from({ length: Math.max(2, ...inherited) - 2 }, (_, index) =>
    inherited.includes(index + 3) ? nothing : 'ignore',
  );
  let child: ChildProcess;
  try {
    child = spawn(launch.file, launch.arguments, {
      cwd: launch.cwd,
      env: launch.environment,
      detached: process.platform !== 'win32',
      windowsHide: true,
      windowsVerbatimArguments: true,
      stdio: [
        'ignore',
        pipe?.writeEnd ?? 'pipe',
        (sharesPipe ? pipe?.writeEnd : undefined) ?? 'pipe',
        launch.isSandboxed ? 'pipe' : (closeInherited[0] ?? 'ignore'),
        ...closeInherited.slice(1),
      ],
    });
    // Emits the error instead if the program cannot be started.
    if (child.pid === undefined) await once(child, 'spawn');
  } catch (error) {
    pipe?.output.destroy();
    watchdog?.stop();
    throw error;
  } finally {
    pipe?.closeWriteEnd();
    closeSync(nothing);
  }
  const pid = child.pid ?? 0;
  watchdog?.watch(pid);
  const standardOutput = pipe?.output ?? child.stdout;
  const statusOutput = child.stdio[3] as Readable | null | undefined;
  read(standardOutput, (chunk) => output.onOutput(chunk));
  const keepsErrors = launch.isSandboxed && !output.onErrorOutput;
  const onError = output.onErrorOutput ?? (keepsErrors ? undefined : output.onOutput);
  const errors = keepText(child.stderr, (chunk) => onError?.call(output, chunk));
  const status = keepText(statusOutput);
  const outputs = [standardOutput, child.stderr, statusOutput].filter((stream) => stream != null);
  return { child, pid, outputs, status, errors, stopWatchdog: () => watchdog?.stop() };
}

function read(stream: Readable | null | undefined, onData: (chunk: Buffer) => void): void {
  stream?.on('data', onData);
  // A pipe that breaks has ended; the exit of the process tells the rest.
  stream?.on('error', () => undefined);
}

function keepText(stream: Readable | null | undefined, onData?: (chunk: Buffer) => void): () => string {
  let text = '';
  read(stream, (chunk) => {
    if (text.length < maxKeptCharacters) text += chunk.toString();
    onData?.(chunk);
  });
  return () => text;
}
