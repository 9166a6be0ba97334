import type { Transaction } from '../../database/database.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { newId } from '../../new-id.ts';
import type { PostCallHookService } from '../../post-call-hooks/service.ts';
import { type VoiceCallRow, voiceCallStore } from '../../voice-calls/service.ts';
import { postCallQueue } from './queue.ts';

export interface PlanDependencies {
  jobs: Pick<Jobs, 'enqueue'>;
  hooks: Pick<PostCallHookService, 'listEnabled'>;
}

/** Records what runs after a call. To be called in the transaction that ends it, when its transcript is complete. */
export async function planPostCall(
  tx: Transaction,
  { id: callId, workspaceId, botId }: Pick<VoiceCallRow, 'id' | 'workspaceId' | 'botId'>,
  { jobs, hooks }: PlanDependencies,
): Promise<void> {
  const enabled = await hooks.listEnabled(tx, workspaceId, botId);
  const planned = enabled.map(({ id: hookId, ...hook }, position) => ({
    ...hook,
    id: newId(),
    hookId,
    position,
  }));
  await voiceCallStore.insertHooks(tx, workspaceId, callId, planned);
  await jobs.enqueue(tx, postCallQueue, { workspaceId, callId });
}
