import { JobFailure, type JobHandler, PermanentFailure, ServiceStopped } from '../../jobs/queue.ts';
import type { SendWebhook } from '../../webhooks/send-webhook.ts';
import type { RunChange, RunRow } from '../runs.store.ts';
import { finalOutputOf, toWireRun } from '../runs.wire.ts';
import type { RunNotice } from './run-webhook.queue.ts';

export interface RunWebhookDependencies {
  runs: {
    find(workspaceId: string, turnId: string): Promise<RunRow | undefined>;
    noteDelivery(run: RunRow, change: Delivery): Promise<void>;
  };
  sendWebhook: SendWebhook;
}

export type Delivery = Pick<RunChange, 'webhookStatus' | 'webhookAttempts' | 'webhookError'>;

/** Reports the end of a run to its receiver and records the delivery. A run that was truncated away is not reported. */
export function createRunWebhookSender({ runs, sendWebhook }: RunWebhookDependencies): JobHandler<RunNotice> {
  return async ({ workspaceId, turnId }, signal, { isLast }) => {
    const run = await runs.find(workspaceId, turnId);
    const url = run?.outputConfig?.webhook_url;
    if (!run || !url) return;
    // Counted before it is sent, so that an attempt cut off by a crash counts too.
    const webhookAttempts = run.webhookAttempts + 1;
    await runs.noteDelivery(run, { webhookStatus: 'pending', webhookAttempts });
    try {
      const webhook = { url, botId: run.botId, about: turnId, runId: turnId, content: contentOf(run) };
      await sendWebhook(webhook, signal);
    } catch (error) {
      const isLastOne = isLast && !(signal.reason instanceof ServiceStopped);
      const isOver = isLastOne || error instanceof PermanentFailure;
      const webhookStatus = isOver ? 'failed' : 'pending';
      await runs.noteDelivery(run, { webhookStatus, webhookAttempts, webhookError: messageOf(error) });
      throw error;
    }
    await runs.noteDelivery(run, { webhookStatus: 'delivered', webhookAttempts, webhookError: null });
  };
}

function contentOf(run: RunRow) {
  const { webhook: _delivery, ...ended } = toWireRun(run);
  return {
    type: 'run.ended',
    bot_id: run.botId,
    conversation_id: run.conversationId,
    run: ended,
    final_output: finalOutputOf(run),
  };
}

/** Only our own messages: others may contain the address, and with it a token. */
function messageOf(error: unknown): string {
  return error instanceof JobFailure ? error.message : 'The webhook could not be sent.';
}
