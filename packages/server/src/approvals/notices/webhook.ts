import type { Clock } from '../../clock.ts';
import { EgressRefused } from '../../egress/egress-error.ts';
import type { GuardedLane, GuardedResponse } from '../../egress/guarded-lane.ts';
import { PermanentFailure } from '../../jobs/queue.ts';
import type { SecretBox } from '../../secrets/secret-box.ts';
import type { ApprovalRow } from '../store.ts';
import { toWire } from '../wire.ts';
import { signature, webhookSecret } from './signature.ts';

export interface WebhookNotice {
  url: string;
  approval: ApprovalRow;
  link: string;
}

/** Throws when the receiver did not take it, and PermanentFailure when it may not be reached at all. */
export type SendWebhook = (notice: WebhookNotice, signal: AbortSignal) => Promise<void>;

export interface WebhookDependencies {
  lane: Pick<GuardedLane, 'request'>;
  box: Pick<SecretBox, 'keyedHash'>;
  clock: Clock;
}

const withinMilliseconds = 15_000;
const mostBytesRead = 4_096;

export function createWebhookSender({ lane, box, clock }: WebhookDependencies): SendWebhook {
  return async ({ url, approval, link }, signal) => {
    const body = JSON.stringify({ type: 'approval.requested', approval: toWire(approval), link });
    const { status } = await explained(() =>
      lane.request({
        url,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'svc-signature': signature(webhookSecret(box, approval.botId), body, clock.now()),
        },
        body,
        signal,
        timeoutMs: withinMilliseconds,
        maxResponseBytes: mostBytesRead,
        // The link is as good as an answer: it goes where the bot says, and nowhere else.
        maxRedirects: 0,
      }),
    );
    if (status < 200 || status > 299) throw new Error(`The webhook answered with ${status}.`);
  };
}

async function explained(work: () => Promise<GuardedResponse>): Promise<GuardedResponse> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof EgressRefused)) throw error;
    throw new PermanentFailure(error.message, { cause: error });
  }
}
