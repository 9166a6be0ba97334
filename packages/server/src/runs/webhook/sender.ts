import { JobFailure, type JobHandler, PermanentFailure } from '../../jobs/queue.ts';
import type { SendWebhook } from '../../webhooks/send-webhook.ts';
import type { RunChange, RunRow } from '../store.ts';
import { finalOutputOf, toWireRun } from '../wire.ts';
import type { RunNotice } from './queue.ts';

export interface RunWebhookDependencies {
  runs: {
    find(workspaceId: string, turnId: string): Promise<RunRow | undefined>;
    noteDelivery(run: RunRow, change: Delivery): Promise<void>;
  };
  sendWebhook: SendWebhook;
}

export type Delivery = Pick<RunChange, 'webhookStatus' | 'webhookAttempts' | 'webhookError'>;

/** Tells the receiver how a run ended, and the run how that went. A run that was truncated away is told to nobody. */
export function createRunWebhookSender({ runs, sendWebhook }: RunWebhookDependencies): JobHandler<RunNotice> {
  return async ({ workspaceId, turnId }, signal, { isLast }) => {
    const run = await runs.find(workspaceId, turnId);
    const url = run?.outputConfig?.webhook_url;
    if (!run || !url) return;
    // Counted before it is sent: a crash in the middle was an attempt too.
    const webhookAttempts = run.webhookAttempts + 1;
    await runs.noteDelivery(run, { webhookStatus: 'pending', webhookAttempts });
    try {
      const webhook = { url, botId: run.botId, about: turnId, runId: turnId, content: contentOf(run) };
      await sendWebhook(webhook, signal);
    } catch (error) {
      const isOver = isLast || error instanceof PermanentFailure;
      const webhookStatus = isOver ? 'failed' : 'pending';
      await runs.noteDelivery(run, { webhookStatus, webhookAttempts, webhookError: sentenceOf(error) });
      throw error;
    }
    await runs.noteDelivery(run, { webhookStatus: 'delivered', webhookAttempts, webhookError: null });
  };
}

function contentOf(run: RunRow) {
  const { webhook: _ownAffair, ...ended } = toWireRun(run);
  return {
    type: 'run.ended',
    bot_id: run.botId,
    conversation_id: run.conversationId,
    run: ended,
    final_output: finalOutputOf(run),
  };
}

/** Only our own sentences: others may repeat the address, and with it a token. */
function sentenceOf(error: unknown): string {
  return error instanceof JobFailure ? error.message : 'The webhook could not be told.';
}
