import { recordExecution } from '../../audit/audit.service.ts';
import { AppError } from '../../lib/app-error.ts';
import { functionKey } from '../../post-call-hooks/post-call-hooks.service.ts';
import type { Services } from '../../services.ts';
import { asksFirst, type BoundFunction } from '../../tools/tools.service.ts';
import { checkJson } from '../../validation/json-schema/check-json.ts';
import type { VoiceCallHook } from '../../voice-calls/records/call-records.service.ts';
import { boundResult, failedHook, type HookOutcome, uncertainHook } from './hook-outcome.ts';

/** The function that a hook calls, or why it cannot. */
export async function findFunction(
  hook: VoiceCallHook,
  { database, tools, hooks }: Pick<Services, 'database' | 'hooks' | 'tools'>,
  signal: AbortSignal,
): Promise<BoundFunction | { fault: string }> {
  const { workspaceId, toolConfigurationId: id, paramsTemplate } = hook;
  const tool = (await tools.findMany(database.within(workspaceId), workspaceId, [id])).get(id);
  if (!tool) return { fault: 'The tool was deleted.' };
  if (!tool.isActive) return { fault: 'The tool is inactive.' };
  const entry = {
    tool_type: tool.toolType,
    tool_configuration_id: id,
    tool_instructions: '',
    speak_during_execution: false,
    speak_after_execution: false,
    tool_error_handling_mode: 'passthrough' as const,
  };
  const offered = await tools.functionsOfTools(workspaceId, [entry], signal);
  // Read after the functions, so that they are not newer than what was confirmed.
  const suspension = await hooks.suspensionOf(workspaceId, hook.hookId, id);
  if (suspension !== null) return { fault: suspension };
  const names = offered.map(({ name, key = name }) => key).join(', ');
  // Never filled in: a caller must not choose it.
  const wanted = paramsTemplate[functionKey];
  const found =
    wanted === undefined && offered.length === 1
      ? offered[0]
      : offered.find(({ name, key = name }) => key === wanted || name === wanted);
  if (found) return found;
  if (offered.length === 0) return { fault: 'The tool is not available now.' };
  return { fault: `The tool offers ${names}: name one as ${functionKey} in params_template.` };
}

/** Runs it once. A failure is an outcome; only an abort rejects. */
export async function runTool(
  hook: VoiceCallHook,
  bound: BoundFunction,
  given: Record<string, unknown>,
  botId: string,
  { database, tools, log }: Pick<Services, 'database' | 'log' | 'tools'>,
  signal: AbortSignal,
): Promise<HookOutcome> {
  const { id: callId, workspaceId, callId: conversationId } = hook;
  const faults = await checkJson({ ...bound.parameters }, given, workspaceId, signal);
  if (faults.length > 0) {
    const sentences = faults.map(({ path, message }) => `${path || 'arguments'} ${message}`);
    return failedHook(`The arguments do not fit: ${sentences.join('; ')}`);
  }
  // What a caller says could become part of a command.
  if (asksFirst(bound, given) && tools.worksOnMachine(bound.toolType))
    return failedHook('This call needs the approval of a person, which hooks cannot get for a machine.');
  try {
    const run = { workspaceId, botId, conversationId, callId, signal, onProgress: () => undefined };
    const execution = {
      action: 'hook.ran' as const,
      object: { id: hook.hookId, name: hook.toolName },
      after: {
        tool_configuration_id: hook.toolConfigurationId,
        tool_type: hook.toolType,
        conversation_id: conversationId,
      },
    };
    const { status, content, result } = await recordExecution(database, workspaceId, execution, () =>
      bound.run(given, run),
    );
    if (status === 'ok') return { status, result: boundResult(result), error: null };
    // Some tools answer an abort with an error.
    signal.throwIfAborted();
    return status === 'unknown' ? uncertainHook(content, result) : failedHook(content, result);
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof AppError) return failedHook(error.message);
    log.warn({ err: error, tool_id: bound.toolId, tool_type: bound.toolType }, 'The tool of a hook failed.');
    return bound.hasEffects ? uncertainHook('The tool failed.') : failedHook('The tool failed.');
  }
}
