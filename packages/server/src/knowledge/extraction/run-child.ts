import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ChildCommand } from './child-command.ts';

export interface ChildRun {
  command: ChildCommand;
  input: Uint8Array[];
  timeMs: number;
  outputBytes: number;
  signal: AbortSignal;
  onStart: ((pid: number) => void) | undefined;
}

/** How it ended. */
export interface ChildEnd {
  output: Buffer;
  /** The last of what it said beside that. */
  complaint: string;
  code: number | null;
  signal: string | null;
  /** Why we ended it; null when it ended by itself. */
  stopped: 'time' | 'output' | 'asked' | null;
}

const maxComplaintLength = 4_096;

/** Runs one child to its end: when this is settled, the process is gone. Throws when it could not be started. */
export async function runChild(run: ChildRun): Promise<ChildEnd> {
  const child = spawn(run.command.program, run.command.parameters, {
    cwd: '/',
    env: {},
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  // It was not started, and has no pipes perhaps: the error that says why comes next.
  if (child.pid === undefined) await closed;
  let stopped: ChildEnd['stopped'] = null;
  const stop = (why: NonNullable<ChildEnd['stopped']>) => {
    stopped ??= why;
    child.kill('SIGKILL');
  };
  const chunks: Buffer[] = [];
  let length = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > run.outputBytes) stop('output');
    else chunks.push(chunk);
  });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-maxComplaintLength);
  });
  // It may be done, or dead, before it has read everything; how it ended tells more.
  child.stdin.on('error', () => undefined);
  const timer = setTimeout(() => stop('time'), run.timeMs);
  const onAbort = () => stop('asked');
  run.signal.addEventListener('abort', onAbort);
  try {
    if (child.pid !== undefined) run.onStart?.(child.pid);
    for (const part of run.input) child.stdin.write(part);
    child.stdin.end();
    if (run.signal.aborted) onAbort();
    const [code, signal] = await closed;
    return { output: Buffer.concat(chunks), complaint, code, signal, stopped };
  } finally {
    clearTimeout(timer);
    run.signal.removeEventListener('abort', onAbort);
  }
}
