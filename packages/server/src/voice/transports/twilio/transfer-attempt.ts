import { TransferFailed } from '../transport.ts';

/** A caller who is being passed on. Meanwhile the call has no stream; it gets one again if nobody answers. */
export interface TransferAttempt {
  /** Rejects with TransferFailed when the stream is back, or the call has ended. */
  readonly outcome: Promise<void>;
  answered(): void;
  /** Nobody answers: the stream is expected back. */
  failed(reason: string): void;
  /** Whether this stream was expected. */
  isBack(): boolean;
  /** The call is over. */
  close(): void;
}

/** How long Twilio lets the other phone ring. */
export const dialSeconds = 30;
/** Twilio reports to any node. One that hears nothing takes the caller as passed on: otherwise the stream would be back. */
const newsWithinMs = (dialSeconds + 15) * 1_000;
const backWithinMs = 10_000;

export function createTransferAttempt({ onNotBack }: { onNotBack(): void }): TransferAttempt {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let failure: string | undefined;
  let timer = setTimeout(resolve, newsWithinMs).unref();

  function refuse(reason: string): void {
    clearTimeout(timer);
    reject(new TransferFailed(reason));
  }

  return {
    outcome: promise,
    answered() {
      clearTimeout(timer);
      resolve();
    },
    failed(reason) {
      failure = reason;
      clearTimeout(timer);
      timer = setTimeout(onNotBack, backWithinMs).unref();
    },
    isBack() {
      if (failure === undefined) return false;
      refuse(failure);
      return true;
    },
    close: () => refuse('The call has ended.'),
  };
}
