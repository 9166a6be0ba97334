import type { ToolTestResult } from '@svc/contract/tools';
import { AppError } from '../app-error.ts';
import { newId } from '../new-id.ts';
import { failed } from './tool-result.ts';
import type { ConfiguredTool, ToolResult, ToolRun, ToolType } from './tool-type.ts';

const timeLimitMilliseconds = 60_000;

/** Runs a tool once, for a person who wants to know whether it works. */
export async function testTool(
  type: ToolType,
  tool: ConfiguredTool,
  parameters: Record<string, unknown>,
  actsFor: string,
): Promise<ToolTestResult> {
  const signal = AbortSignal.timeout(timeLimitMilliseconds);
  const startedAt = performance.now();
  const took = () => Math.round(performance.now() - startedAt);
  try {
    const outcome = await runOnce(type, tool, parameters, {
      workspaceId: tool.workspaceId,
      actsFor,
      botId: undefined,
      conversationId: undefined,
      callId: newId(),
      signal,
      onProgress: () => undefined,
    });
    return {
      success: outcome.status === 'ok',
      execution_time_ms: took(),
      ...(outcome.status !== 'ok' && { error: outcome.content }),
      result: outcome.result,
      ...(outcome.resolvedRequest && { resolved_request: outcome.resolvedRequest }),
    };
  } catch (error) {
    // A tool that fails on these parameters is a result of the test, not an internal error.
    if (!(error instanceof AppError) && !signal.aborted) throw error;
    const message = signal.aborted ? 'The tool did not finish in time.' : (error as AppError).message;
    return { success: false, execution_time_ms: took(), error: message, result: null };
  }
}

async function runOnce(
  type: ToolType,
  tool: ConfiguredTool,
  parameters: Record<string, unknown>,
  run: ToolRun,
): Promise<ToolResult> {
  if (type.test) return type.test(tool, parameters, run);
  const [first] = await type.functions(tool, run.signal);
  return first ? first.run(parameters, run) : failed('The tool offers no function.');
}
