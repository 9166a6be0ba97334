import { JobFailure } from '../../jobs/queue.ts';
import type { Services } from '../../services.ts';
import type { VoiceCallHook, VoiceCallHookChange } from '../../voice-calls/records/call-records.service.ts';

/** Of two attempts that run at the same time, one changes the status and the other rejects. */
export async function changeHook(
  hook: VoiceCallHook,
  from: VoiceCallHook['status'],
  to: VoiceCallHookChange,
  { callRecords, noteChange }: Pick<Services, 'callRecords' | 'noteChange'>,
): Promise<void> {
  const isOurs = await callRecords.changeHook({ ...hook, status: from }, to);
  if (!isOurs) throw new JobFailure('Another attempt is running the hooks of this call.');
  noteChange(hook.workspaceId, 'conversation', hook.callId);
}
