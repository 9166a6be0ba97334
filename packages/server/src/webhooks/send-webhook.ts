import { createHash } from 'node:crypto';
import { EgressFailed, EgressRefused } from '../egress/egress-error.ts';
import type { GuardedLane, GuardedResponse } from '../egress/guarded-lane.ts';
import { JobFailure, PermanentFailure } from '../jobs/queue.ts';
import type { Clock } from '../lib/clock.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { signature, webhookSecret } from './webhook-signature.ts';

/** A notification about a bot. */
export interface Webhook {
  url: string;
  /** The bot whose secret signs it. */
  botId: string;
  /** The id of its subject; each subject is delivered once. */
  about: string;
  /** The run that it belongs to, if any. */
  runId?: string | undefined;
  content: { type: string } & Record<string, unknown>;
}

/** The receiver answered with an error status. */
class WebhookRefused extends JobFailure {
  override readonly name = 'WebhookRefused';

  constructor(status: number) {
    super(`The webhook answered with ${status}.`);
  }
}

/** Throws JobFailure when the receiver failed or refused it, and PermanentFailure when it must not be contacted at all. */
export type SendWebhook = (webhook: Webhook, signal: AbortSignal) => Promise<void>;

export interface WebhookDependencies {
  lane: Pick<GuardedLane, 'request'>;
  box: Pick<SecretBox, 'keyedHash'>;
  clock: Clock;
}

const withinMilliseconds = 15_000;
const maxBytesRead = 4_096;

export function createWebhookSender({ lane, box, clock }: WebhookDependencies): SendWebhook {
  return async ({ url, botId, about, runId, content: { type, ...content } }, signal) => {
    const deliveryId = deliveryIdOf(type, about);
    // In the body as well as in the headers, because the body is signed.
    const ids = { delivery_id: deliveryId, ...(runId !== undefined && { run_id: runId }) };
    const body = JSON.stringify({ type, ...ids, ...content });
    const { status } = await explained(() =>
      lane.request({
        url,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'svc-signature': signature(webhookSecret(box, botId), body, clock.now()),
          'svc-delivery-id': deliveryId,
          ...(runId !== undefined && { 'svc-run-id': runId }),
        },
        body,
        signal,
        timeoutMs: withinMilliseconds,
        maxResponseBytes: maxBytesRead,
        // The content is for the configured URL only.
        maxRedirects: 0,
      }),
    );
    if (status < 200 || status > 299) throw new WebhookRefused(status);
  };
}

async function explained(work: () => Promise<GuardedResponse>): Promise<GuardedResponse> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof EgressRefused) throw new PermanentFailure(error.message, { cause: error });
    if (error instanceof EgressFailed) throw new JobFailure(error.message, { cause: error });
    throw error;
  }
}

/**
 * Identifies a delivery: the same for every attempt, after a restart and when it is resent by hand. It is derived from its
 * subject, which is delivered once, so nothing has to be stored.
 */
function deliveryIdOf(type: string, subjectId: string): string {
  const hex = createHash('sha256').update(`${type} ${subjectId}`).digest('hex');
  // A version 8 UUID, which is the version for custom schemes.
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
