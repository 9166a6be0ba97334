import type { ToolTestResult } from '@svc/contract/tools';
import { recordExecution } from '../audit/audit.service.ts';
import type { Database } from '../database/database.ts';
import { AppError } from '../lib/app-error.ts';
import { newId } from '../lib/new-id.ts';
import { type Approver, requireApprover } from './approval-rule.ts';
import { failed, succeeded } from './tool-result.ts';
import {
  asksFirst,
  type ConfiguredTool,
  type ToolFunction,
  type ToolResult,
  type ToolType,
} from './tool-type.ts';

const timeLimitMilliseconds = 60_000;

export interface ToolTestRun {
  database: Database;
  type: ToolType;
  tool: ConfiguredTool;
  /** It is not saved, or not as it is here. */
  isDraft: boolean;
  parameters: Record<string, unknown>;
  tester: Approver;
}

/**
 * Runs a tool once, for a person who wants to know whether it works. Throws FORBIDDEN if the call needs approval and they may not
 * give it.
 */
export async function testTool(test: ToolTestRun): Promise<ToolTestResult> {
  const signal = AbortSignal.timeout(timeLimitMilliseconds);
  const startedAt = performance.now();
  const took = () => Math.round(performance.now() - startedAt);
  try {
    const outcome = await runOnce(test, signal);
    return {
      success: outcome.status === 'ok',
      execution_time_ms: took(),
      ...(outcome.status !== 'ok' && { error: outcome.content }),
      result: outcome.result,
      ...(outcome.resolvedRequest && { resolved_request: outcome.resolvedRequest }),
    };
  } catch (error) {
    // A tool that fails on these parameters is a result of the test, not an internal error.
    const isResult = error instanceof AppError && error.code !== 'FORBIDDEN';
    if (!isResult && !signal.aborted) throw error;
    const message = signal.aborted ? 'The tool did not finish in time.' : (error as AppError).message;
    return { success: false, execution_time_ms: took(), error: message, result: null };
  }
}

async function runOnce(test: ToolTestRun, signal: AbortSignal): Promise<ToolResult> {
  const { type, tool, parameters, tester } = test;
  const planned = type.testCall?.(parameters);
  const functions = await type.functions(tool, signal, planned?.options);
  if (type.testCall && !planned) return describeOffer(functions);
  const [first] = functions;
  const called = planned ? functions.find((one) => keyOf(one) === planned.key) : first;
  if (!called) return failed(`It offers no ${planned?.key ?? 'function'}; it offers ${namesOf(functions)}.`);
  if (called.unusable) return failed(`${keyOf(called)} cannot be used: ${called.unusable}.`);
  const given = planned?.given ?? parameters;
  if (asksFirst(called, given))
    requireApprover(tester, 'approval', 'A test really runs the tool, whose calls need approval');
  return recordRun(test, keyOf(called), () =>
    called.run(given, {
      workspaceId: tool.workspaceId,
      actsFor: tester.keyId,
      botId: undefined,
      conversationId: undefined,
      callId: newId(),
      signal,
      onProgress: () => undefined,
    }),
  );
}

/** Without the parameters, which may contain secrets. */
function recordRun(
  { database, type, tool, isDraft }: ToolTestRun,
  called: string,
  run: () => Promise<ToolResult>,
): Promise<ToolResult> {
  const fields = { tool_type: type.type, function: called, ...(isDraft && { is_draft: true }) };
  const object = { id: tool.id ?? null, name: tool.name };
  return recordExecution(database, tool.workspaceId, { action: 'tool.tested', object, after: fields }, run);
}

function describeOffer(functions: readonly ToolFunction[]): ToolResult {
  const usable = functions.filter(({ unusable }) => !unusable);
  const leftOut = functions.flatMap((one) =>
    one.unusable ? [{ tool: keyOf(one), reason: one.unusable }] : [],
  );
  const sentences = [
    `It offers ${namesOf(usable) || 'nothing'}.`,
    ...leftOut.map(({ tool, reason }) => `${tool} is left out: ${reason}.`),
  ];
  return succeeded(sentences.join(' '), {
    tools: usable.map(keyOf),
    ...(leftOut.length > 0 && { left_out: leftOut }),
  });
}

function keyOf({ name, key = name }: ToolFunction): string {
  return key;
}

function namesOf(functions: readonly ToolFunction[]): string {
  return functions
    .filter(({ unusable }) => !unusable)
    .map(keyOf)
    .join(', ');
}
