import { AppError } from '../../lib/app-error.ts';
import type { Clock } from '../../lib/clock.ts';
import type { BoundFunction, ToolResult, ToolRun } from '../../tools/tools.service.ts';
import { storable, storableJson } from '../../validation/storable.ts';
import { argumentsToRun, type OpenToolCall } from './tool-call.ts';
import type { ToolCallEnd } from './tool-call-end.ts';

const failed = 'The tool failed.';
const unknown = 'It is not known whether this call was carried out.';

/** Runs one call. A failure is its outcome, for the model to read. */
export async function runToolCall(
  call: OpenToolCall,
  bound: BoundFunction | undefined,
  run: ToolRun,
  clock: Clock,
): Promise<ToolCallEnd> {
  const startedAt = clock.now();
  const begun = performance.now();
  const outcome = await outcomeOf(call, bound, run);
  return { ...endOf(call, bound, outcome), startedAt, durationMs: Math.round(performance.now() - begun) };
}

/** The end of a call that cannot run. */
export function faultEnd(
  call: OpenToolCall,
  bound: BoundFunction | undefined,
  fault: string,
  now: Date,
): ToolCallEnd {
  return { ...endOf(call, bound, problem(fault)), startedAt: now, durationMs: 0 };
}

function endOf(
  call: OpenToolCall,
  bound: BoundFunction | undefined,
  { status, content: text, result, passages, used, images }: ToolResult,
): Omit<ToolCallEnd, 'startedAt' | 'durationMs'> {
  const content = storable(text);
  const stored = result === undefined ? null : storableJson(result);
  const isHidden = status !== 'ok' && bound?.hidesErrors === true;
  const shown = hiddenOutcome(status);
  return {
    call,
    outcome: status,
    content: isHidden ? shown : content,
    result: isHidden ? { error: shown } : stored,
    ...(isHidden && { hidden: { content, result: stored } }),
    ...(passages && { passages }),
    ...(used && { used }),
    ...(images && !isHidden && { images }),
  };
}

/** What is shown of an outcome by a tool that hides its errors. */
export function hiddenOutcome(status: ToolResult['status']): string {
  return status === 'unknown' ? unknown : failed;
}

async function outcomeOf(
  call: OpenToolCall,
  bound: BoundFunction | undefined,
  run: ToolRun,
): Promise<ToolResult> {
  if (call.fault !== null) return problem(call.fault);
  if (!bound) return problem(`The tool ${call.name} is not available now.`);
  try {
    return await bound.run(argumentsToRun(call), run);
  } catch (error) {
    if (run.signal.aborted) throw error;
    // Only our own errors have messages that are safe to show.
    if (error instanceof AppError) return problem(error.message);
    return bound.isResumable && bound.hasEffects
      ? { ...problem(unknown), status: 'unknown' }
      : problem(failed);
  }
}

function problem(text: string): ToolResult {
  return { status: 'error', content: text, result: { error: text } };
}
