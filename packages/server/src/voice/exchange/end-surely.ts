import type { CallEndReason } from '@svc/contract/calls';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { VoiceCallRow } from '../../voice-calls/records/call-records.service.ts';
import type { EndCall } from './end-call.ts';

export interface SureEnds {
  /** Ends a call on its record. If that fails, as without the database, it is tried again in every round. Never rejects. */
  end(row: VoiceCallRow, reason: CallEndReason, options?: SureEndOptions): Promise<void>;
  /** One attempt at each call that could not be ended. Never rejects. */
  retry(): Promise<void>;
}

export interface SureEndOptions {
  detail?: string | undefined;
  /** When the call ended, if it is not now. */
  at?: Date | undefined;
  /** In every attempt; the call is ended only if it succeeds, and not with `continues`. */
  before?(): Promise<'continues' | void>;
}

export interface SureEndDependencies {
  endCall: EndCall;
  clock: Clock;
  log: Log;
}

export function createSureEnds({ endCall, clock, log }: SureEndDependencies): SureEnds {
  const unended = new Map<string, () => Promise<void>>();

  async function attempt(callId: string): Promise<void> {
    try {
      await unended.get(callId)?.();
      unended.delete(callId);
    } catch (error) {
      log.error({ err: error, call_id: callId }, 'A call could not be ended; the next round tries again.');
    }
  }

  return {
    async end(row, reason, { detail, at = clock.now(), before } = {}) {
      // The first reason is the true one.
      if (!unended.has(row.id)) {
        unended.set(row.id, async () => {
          if ((await before?.()) !== 'continues') await endCall(row, reason, detail, at);
        });
      }
      await attempt(row.id);
    },

    async retry() {
      for (const callId of unended.keys()) await attempt(callId);
    },
  };
}
