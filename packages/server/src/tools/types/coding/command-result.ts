import { stripVTControlCharacters } from 'node:util';
import type { CommandEnd } from '@svc/contract/machine-protocol';
import type { ToolResult } from '../../tool-type.ts';
import { boundEnds } from '../shared/bound-ends.ts';

/** A command that fails has still run: its exit code is the result, not an error of the tool. */
export function readCommandEnd(end: CommandEnd, maxBytes: number): ToolResult {
  const output = boundEnds(stripVTControlCharacters(end.output), maxBytes);
  const omitted =
    end.omitted_bytes > 0 ? ` Of its ${end.output_bytes} bytes of output, the middle is left out.` : '';
  const isOver = end.exit_code !== null && !end.timed_out;
  return {
    status: isOver ? 'ok' : 'error',
    content: `${howItEnded(end)}${omitted}\n${output || 'It printed nothing.'}`,
    result: {
      command: end.command,
      cwd: end.cwd,
      exit_code: end.exit_code,
      signal: end.signal,
      timed_out: end.timed_out,
      output,
      output_bytes: end.output_bytes,
      omitted_bytes: end.omitted_bytes,
      duration_ms: end.duration_ms,
      sandbox: end.sandbox,
    },
  };
}

function howItEnded({
  exit_code: code,
  signal,
  timed_out: timedOut,
  duration_ms: duration,
}: CommandEnd): string {
  const seconds = (duration / 1000).toFixed(1);
  if (timedOut)
    return `The command was ended after ${seconds} seconds, its time limit. If it needs longer, set time_limit_seconds.`;
  return code === null
    ? `Ended by ${signal ?? 'a signal'} after ${seconds} s.`
    : `Exit code ${code} after ${seconds} s.`;
}
