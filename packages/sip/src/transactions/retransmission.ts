import { type SipTimers, transactionMs } from '../sip-timers.ts';

export type Retransmission = ReturnType<typeof retransmit>;

/** Sends now and again at growing intervals, until it is stopped or the time is up. */
export function retransmit(options: {
  timers: Pick<SipTimers, 't1' | 't2'>;
  /** Sends only once, because the transport loses nothing. */
  isOnce?: boolean;
  /** Intervals are doubled up to this one. */
  maxInterval?: number;
  limitMs?: number;
  send(): void;
  onTimeout(): void;
}) {
  const { timers, isOnce = false, limitMs, maxInterval, send, onTimeout } = options;
  let interval = timers.t1;
  let timer: NodeJS.Timeout | undefined;
  const limit = setTimeout(() => {
    stop();
    onTimeout();
  }, limitMs ?? transactionMs(timers));
  if (!isOnce) schedule();
  send();

  function schedule(): void {
    timer = setTimeout(() => {
      interval = Math.min(interval * 2, maxInterval ?? timers.t2);
      schedule();
      send();
    }, interval);
  }

  function stop(): void {
    clearTimeout(timer);
    clearTimeout(limit);
  }

  return {
    /** Repeats at the longest interval from now on. */
    slowDown(): void {
      interval = timers.t2;
    },
    stop,
  };
}
