import { type Dialing, dial } from '@svc/sip/calls/dial';
import { createTransfer } from '@svc/sip/calls/transfer';
import type { UserAgent } from '@svc/sip/calls/user-agent';
import { CallNotPlaced, type CallToPlace, type LineEnd } from '../call-transport.ts';
import type { Reports } from './reports.ts';
import { createSipLine } from './sip-line.ts';

export interface PlaceCall {
  agent: UserAgent;
  reports: Reports;
  /** The calls that ring, by the ids that the exchange knows. */
  dialing: Map<string, Dialing>;
}

/** Resolves when the trunk has accepted the call; rejects with CallNotPlaced. */
export async function placeCall({ agent, reports, dialing }: PlaceCall, call: CallToPlace): Promise<void> {
  const { callId, from, to, maxSeconds } = call;
  const media = await agent.openMedia();
  if (!media) throw new CallNotPlaced('All ports for audio are in use.');
  const placed = Promise.withResolvers<void>();
  let isPlaced = false;
  let isRinging = false;
  let trying: NodeJS.Timeout | undefined;

  function accept(): void {
    clearTimeout(trying);
    isPlaced = true;
    placed.resolve();
  }

  function ended(end: LineEnd): void {
    accept();
    reports.ended(callId, end);
  }

  const current = dial(
    agent,
    { from, to, maxSeconds, ringMs: agent.timers.ring, media },
    {
      onProgress(status) {
        trying ??= setTimeout(accept, agent.timers.trunkTrying);
        if (status < 180 || isRinging) return;
        isRinging = true;
        accept();
        reports.ringing(callId);
      },
      onAnswered(answered) {
        dialing.delete(callId);
        accept();
        const transfer = createTransfer({ agent, call: answered, from });
        reports.connected(callId, createSipLine(answered, transfer));
      },
      onFailed(outcome) {
        dialing.delete(callId);
        clearTimeout(trying);
        if (outcome.isPlaced || isPlaced) return ended(outcome.end);
        placed.reject(new CallNotPlaced(outcome.end.detail));
      },
    },
  );
  dialing.set(callId, current);
  return placed.promise;
}
