import { isConnectionFailure } from '../../database/database.ts';
import type { Services } from '../../services.ts';
import type { VoiceCallHook } from '../../voice-calls/records/call-records.service.ts';
import { changeHook } from './change-hook.ts';
import { fillTemplate, type TemplateValues, UnfitTemplate } from './fill-template.ts';
import { cutOffHook, failedHook, type HookOutcome, uncertainHook } from './hook-outcome.ts';
import { findFunction, runTool } from './run-tool.ts';

export interface RunHookDependencies
  extends Pick<Services, 'callRecords' | 'clock' | 'database' | 'hooks' | 'log' | 'noteChange' | 'tools'> {
  /** Of one hook; a minute if left out. */
  hookLimitMilliseconds?: number;
}

/**
 * Runs a hook at most once, unless it changes nothing outside. Rejects when it is left to another attempt: its status says how
 * far it came.
 */
export async function runHook(
  hook: VoiceCallHook,
  botId: string,
  values: TemplateValues,
  dependencies: RunHookDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log, hookLimitMilliseconds = 60_000 } = dependencies;
  const late = `It did not end within ${hookLimitMilliseconds / 1_000} seconds.`;
  const limited = AbortSignal.any([signal, AbortSignal.timeout(hookLimitMilliseconds)]);
  const end = (outcome: HookOutcome, from: VoiceCallHook['status'] = 'started') =>
    changeHook(hook, from, { ...outcome, endedAt: clock.now() }, dependencies);

  const bound = await findFunction(hook, dependencies, limited).catch((error: unknown) => {
    signal.throwIfAborted();
    if (limited.aborted) return { fault: late };
    if (isConnectionFailure(error)) throw error;
    // Such as secrets that cannot be decrypted: the hooks after it can run.
    log.warn({ err: error, tool_id: hook.toolConfigurationId }, 'The tool of a hook cannot be used.');
    return { fault: 'The tool cannot be used.' };
  });
  const isInterrupted = hook.status === 'started';
  const canRepeat = 'fault' in bound ? false : bound.repeatable || !bound.hasEffects;
  if (isInterrupted && !canRepeat) return end(cutOffHook());
  if ('fault' in bound) return end(failedHook(bound.fault), hook.status);
  const given = argumentsOf(hook, values);
  if (given instanceof UnfitTemplate) return end(failedHook(given.message), hook.status);
  signal.throwIfAborted();
  await changeHook(hook, hook.status, { status: 'started', startedAt: clock.now() }, dependencies);
  const outcome = await runTool(hook, bound, given, botId, dependencies, limited).catch(
    async (error: unknown): Promise<HookOutcome> => {
      // Another attempt runs it again, or finds that it was cut off.
      if (signal.aborted || !limited.aborted) throw error;
      return bound.hasEffects ? uncertainHook(late) : failedHook(late);
    },
  );
  await end(outcome);
}

function argumentsOf(hook: VoiceCallHook, values: TemplateValues): Record<string, unknown> | UnfitTemplate {
  try {
    return fillTemplate(hook.paramsTemplate, values);
  } catch (error) {
    if (error instanceof UnfitTemplate) return error;
    throw error;
  }
}
