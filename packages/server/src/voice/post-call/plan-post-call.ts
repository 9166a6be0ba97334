import type { Transaction } from '../../database/database.ts';
import { newId } from '../../lib/new-id.ts';
import type { Services } from '../../services.ts';
import type { VoiceCallRow } from '../../voice-calls/records/call-records.service.ts';
import { postCallQueue } from './post-call.queue.ts';

export type PlanDependencies = Pick<Services, 'callRecords' | 'hooks' | 'jobs'>;

/** Records what runs after a call. To be called in the transaction that ends it, when its transcript is complete. */
export async function planPostCall(
  tx: Transaction,
  call: Pick<VoiceCallRow, 'id' | 'workspaceId' | 'botId'>,
  { callRecords, jobs, hooks }: PlanDependencies,
): Promise<void> {
  const { id: callId, workspaceId, botId } = call;
  const enabled = await hooks.listEnabled(tx, workspaceId, botId);
  const planned = enabled.map(({ id: hookId, ...hook }, position) => ({
    ...hook,
    id: newId(),
    hookId,
    position,
  }));
  await callRecords.planHooks(tx, call, planned);
  await jobs.enqueue(tx, postCallQueue, { workspaceId, callId });
}
