import type { Database } from '../../database/database.ts';
import type { NoteChange } from '../../events/workspace-changes.ts';
import { JobFailure } from '../../jobs/queue.ts';
import { type VoiceCallHook, voiceCallStore } from '../../voice-calls/service.ts';

export interface ChangeHookDependencies {
  database: Database;
  noteChange: NoteChange;
}

/** Of two attempts that run at the same time, one changes the status and the other rejects. */
export async function changeHook(
  { id, workspaceId, callId }: VoiceCallHook,
  from: VoiceCallHook['status'],
  to: Parameters<typeof voiceCallStore.changeHook>[3],
  { database, noteChange }: ChangeHookDependencies,
): Promise<void> {
  const isOurs = await voiceCallStore.changeHook(database.query, workspaceId, { id, status: from }, to);
  if (!isOurs) throw new JobFailure('Another attempt is running the hooks of this call.');
  noteChange(workspaceId, 'conversation', callId);
}
