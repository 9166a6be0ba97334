import type { CallEndReason } from '@svc/contract/calls';

export interface Ended {
  reason: CallEndReason;
  detail: string | undefined;
}

/**
 * Why a talk ends. The first reason is the true one: somebody who hangs up during a farewell has not ended the call, nor has a
 * failure during it. Only somebody who was passed on is still talking.
 */
export function createEnding() {
  let ended: Ended | undefined;
  return {
    /** Returns the reason that counts. */
    note(reason: CallEndReason, detail?: string): Ended {
      if (!ended || reason === 'transferred') ended = { reason, detail };
      return ended;
    },
  };
}
