import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ChildCommand } from './child-command.ts';

/** How a child ended. */
export interface ChildEnd {
  output: Buffer;
  /** The end of its standard error. */
  complaint: string;
  code: number | null;
  signal: string | null;
  /** Why we ended it; null when it ended on its own. */
  stopped: 'time' | 'output' | 'asked' | null;
}

const maxComplaintLength = 4_096;

/** Runs one child: when this settles, the process is gone. Throws when it could not be started. */
export async function runChild(run: {
  command: ChildCommand;
  input: Uint8Array[];
  timeMs: number;
  outputBytes: number;
  signal: AbortSignal;
  onStart: ((pid: number) => void) | undefined;
}): Promise<ChildEnd> {
  const child = spawn(run.command.program, run.command.parameters, {
    cwd: '/',
    env: {},
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  // It was not started and may have no pipes; the error event that follows says why.
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
  // The child may end before it has read everything; how it ended matters more.
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
