import type { Clock } from '../../clock.ts';
import { JobFailure } from '../../jobs/queue.ts';
import { type VoiceCallHook, voiceCallStore } from '../../voice-calls/service.ts';
import { fillTemplate, type TemplateValues, UnfitTemplate } from './fill-template.ts';
import { failedHook, findFunction, type HookOutcome, type RunToolDependencies, runTool } from './run-tool.ts';

export interface RunHookDependencies extends RunToolDependencies {
  clock: Clock;
}

const timeLimitMilliseconds = 60_000;
const cutOff = 'The service was cut off while it ran: it may or may not have been carried out.';
const late = `It did not end within ${timeLimitMilliseconds / 1_000} seconds.`;

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
  const { database, clock } = dependencies;
  const { query } = database;
  /** Of two attempts that run at the same time, one changes the status and the other ends. */
  async function change(from: VoiceCallHook['status'], to: Parameters<typeof voiceCallStore.changeHook>[3]) {
    const isOurs = await voiceCallStore.changeHook(
      query,
      hook.workspaceId,
      { id: hook.id, status: from },
      to,
    );
    if (!isOurs) throw new JobFailure('Another attempt is running the hooks of this call.');
  }
  const limited = AbortSignal.any([signal, AbortSignal.timeout(timeLimitMilliseconds)]);
  const end = (outcome: HookOutcome, from = 'started' as VoiceCallHook['status']) =>
    change(from, { ...outcome, endedAt: clock.now() });

  const bound = await findFunction(hook, dependencies, limited).catch((error: unknown) => {
    signal.throwIfAborted();
    if (!limited.aborted) throw error;
    return { fault: late };
  });
  const isInterrupted = hook.status === 'started';
  const canRepeat = 'fault' in bound ? false : bound.repeatable || !bound.hasEffects;
  if (isInterrupted && !canRepeat) return end(failedHook(cutOff, 'unknown'));
  if ('fault' in bound) return end(failedHook(bound.fault), hook.status);
  const given = argumentsOf(hook, values);
  if (given instanceof UnfitTemplate) return end(failedHook(given.message), hook.status);
  signal.throwIfAborted();
  await change(hook.status, { status: 'started', startedAt: clock.now() });
  const outcome = await runTool(hook, bound, given, botId, dependencies, limited).catch(
    async (error: unknown): Promise<HookOutcome> => {
      if (!limited.aborted) throw error;
      if (!signal.aborted) return failedHook(late, bound.hasEffects ? 'unknown' : 'error');
      // Another attempt runs it again, or finds that it was cut off.
      throw error;
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
