import { TransferFailed } from '../call-transport.ts';

export type TransferAttempt = ReturnType<typeof createTransferAttempt>;

export interface TransferAttemptOptions {
  /** How long Twilio may take to say what became of it. */
  newsWithinMs: number;
  /** Twilio reports to any node, which passes it on to the node with the line. */
  onNoNews(): void;
  onNotBack(): void;
}

/** How long Twilio lets the other phone ring. */
export const dialSeconds = 30;
const backWithinMs = 10_000;

/** A caller who is being transferred. Meanwhile the call has no stream; it gets one again if there is no answer. */
export function createTransferAttempt(options: TransferAttemptOptions) {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let failure: string | undefined;
  let isSettled = false;
  let timer = setTimeout(options.onNoNews, options.newsWithinMs).unref();

  function settle(how: () => void): void {
    if (isSettled) return;
    isSettled = true;
    clearTimeout(timer);
    how();
  }

  return {
    /** Rejects with TransferFailed when the stream is back, or the call has ended. */
    outcome: promise,
    answered: () => settle(resolve),
    /** There is no answer: the stream is expected back. */
    failed(reason: string): void {
      // Webhooks are repeated.
      if (isSettled || failure !== undefined) return;
      failure = reason;
      clearTimeout(timer);
      timer = setTimeout(options.onNotBack, backWithinMs).unref();
    },
    /** The stream is back, which may be before the report. */
    back: () => settle(() => reject(new TransferFailed(failure ?? 'The number was not reached.'))),
    /** The call is over. */
    close: () => settle(() => reject(new TransferFailed('The call has ended.'))),
  };
}
