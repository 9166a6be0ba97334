import { AppError } from '../../app-error.ts';
import type { Clock } from '../../clock.ts';
import type { BoundFunction, ToolResult, ToolRun } from '../../tools/service.ts';
import { storableText } from '../write/storable.ts';
import { argumentsToRun, type OpenCall } from './call.ts';
import type { CallEnd } from './call-end.ts';

const failed = 'The tool failed.';

/** Runs one call. A failure is its outcome, for the model to read. */
export async function runCall(
  call: OpenCall,
  bound: BoundFunction | undefined,
  run: ToolRun,
  clock: Clock,
): Promise<CallEnd> {
  const startedAt = clock.now();
  const begun = performance.now();
  const { status, content: said, result, passages, used } = await outcomeOf(call, bound, run);
  const content = storableText(said);
  const isHidden = status === 'error' && bound?.hidesErrors === true;
  return {
    call,
    outcome: status,
    content: isHidden ? failed : content,
    result: isHidden ? { error: failed } : result,
    ...(isHidden && { hidden: { content, result } }),
    ...(passages && { passages }),
    ...(used && { used }),
    startedAt,
    durationMs: Math.round(performance.now() - begun),
  };
}

async function outcomeOf(
  call: OpenCall,
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
    return problem(error instanceof AppError ? error.message : failed);
  }
}

function problem(text: string): ToolResult {
  return { status: 'error', content: text, result: { error: text } };
}
