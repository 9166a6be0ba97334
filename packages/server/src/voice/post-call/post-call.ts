import type { Transaction } from '../../database/database.ts';
import type { JobHandler } from '../../jobs/queue.ts';
import { newId } from '../../lib/new-id.ts';
import type { Services } from '../../services.ts';
import type { VoiceCallRow } from '../../voice-calls/records/call-records.service.ts';
import type { TemplateValues } from './fill-template.ts';
import { giveUpHooks, giveUpLeftHooks, hasGivenUp } from './give-up-hooks.ts';
import { layOutTranscript } from './lay-out-transcript.ts';
import { type EndedCall, postCallQueue } from './post-call.queue.ts';
import { type RunHookDependencies, runHook } from './run-hook.ts';
import { summariseCall } from './summarise-call.ts';

export type PostCallDependencies = RunHookDependencies &
  Pick<Services, 'bots' | 'conversations' | 'jobs' | 'models' | 'spender' | 'voiceCalls'>;

/** What happens after a call: its summary, then its bot's hooks, one after another. */
export function createPostCall(dependencies: PostCallDependencies) {
  const { callRecords, conversations, voiceCalls } = dependencies;

  /** Works on the jobs of `postCallQueue`. */
  const run: JobHandler<EndedCall> = async (ended, signal, { isLast }) => {
    try {
      await work(ended, signal);
    } catch (error) {
      if (hasGivenUp(isLast, signal)) await giveUpHooks(ended, dependencies);
      throw error;
    }
  };

  async function transcriptOf({ workspaceId, id }: VoiceCallRow) {
    const messages = (await conversations.listTranscripts(workspaceId, [id])).get(id) ?? [];
    const hasCaller = messages.some(({ role, content }) => role === 'user' && content.trim() !== '');
    return { text: layOutTranscript(messages), hasCaller };
  }

  async function valuesOf(row: VoiceCallRow, transcript: string): Promise<TemplateValues | undefined> {
    const call = (await voiceCalls.ofConversations(row.workspaceId, [row.id])).get(row.id);
    if (!call) return undefined;
    const { summary, end_detail: _detail, unpriced_models: _models, recording_ms: _length, ...fields } = call;
    return {
      call: { ...fields, bot_id: row.botId },
      transcript,
      summary: summary ?? '',
      conversationId: row.id,
    };
  }

  async function work({ workspaceId, callId }: EndedCall, signal: AbortSignal): Promise<void> {
    const call = await callRecords.find(workspaceId, callId);
    // Its conversation was deleted meanwhile.
    if (!call) return;
    const planned = await callRecords.listHooks(workspaceId, callId);
    const transcript = await transcriptOf(call);
    const hasBegun = planned.some(({ status }) => status !== 'pending');
    if (call.answeredAt && call.summary === null && transcript.hasCaller && !hasBegun)
      await summariseCall(call, transcript.text, dependencies, signal);
    const values = await valuesOf(call, transcript.text);
    if (!values) return;
    for (const hook of planned) {
      signal.throwIfAborted();
      if (hook.status === 'pending' || hook.status === 'started')
        await runHook(hook, call.botId, values, dependencies, signal);
    }
  }

  return {
    plan: (tx: Transaction, call: PlannedCall) => planPostCall(tx, call, dependencies),
    run,
    sweep: () => giveUpLeftHooks(dependencies),
  };
}

type PlannedCall = Pick<VoiceCallRow, 'id' | 'workspaceId' | 'botId'>;

/** Records what runs after a call. To be called in the transaction that ends it, when its transcript is complete. */
export async function planPostCall(
  tx: Transaction,
  call: PlannedCall,
  { callRecords, jobs, hooks }: Pick<Services, 'callRecords' | 'hooks' | 'jobs'>,
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
