/** In milliseconds. The first three are those of RFC 3261. */
export interface SipTimers {
  /** An estimate of the round trip: the first retransmission. */
  t1: number;
  /** The longest interval between retransmissions. */
  t2: number;
  /** How long messages may stay in the network. */
  t4: number;
  /** The trunk must respond to a call within this time. */
  trunkAnswer: number;
  /** A trunk that has only said that it is trying counts as having accepted the call after this time. */
  trunkTrying: number;
  ring: number;
  /** The same for the number of a transfer, while the caller waits. */
  transferRing: number;
  /** Incoming calls are decided about within this time. */
  decision: number;
  /** A call over UDP is ended if its caller does not acknowledge our answer within this time. */
  confirmation: number;
  /** A line on which nothing is received is checked after this time. */
  mediaSilence: number;
  /** The other side responds to that check within this time. */
  check: number;
  keepAlive: number;
  /** The trunk reports the outcome of a transfer within this time. */
  transfer: number;
  /** The first attempt to register, or to connect, again after a failure. The next ones wait longer, up to `maxBackoff`. */
  backoff: number;
  maxBackoff: number;
  stop: number;
}

export const sipTimers: SipTimers = {
  t1: 500,
  t2: 4_000,
  t4: 5_000,
  trunkAnswer: 8_000,
  trunkTrying: 10_000,
  ring: 60_000,
  transferRing: 30_000,
  decision: 20_000,
  confirmation: 5_000,
  mediaSilence: 30_000,
  check: 8_000,
  keepAlive: 30_000,
  transfer: 60_000,
  backoff: 2_000,
  maxBackoff: 120_000,
  stop: 1_500,
};

/** The time until the next attempt after this many failures, at random, so that services do not all return at once after an outage. */
export function backoffMs(
  { backoff, maxBackoff }: Pick<SipTimers, 'backoff' | 'maxBackoff'>,
  failures: number,
): number {
  return Math.min(backoff * 2 ** Math.min(failures - 1, 10), maxBackoff) * (0.75 + Math.random() / 2);
}

/** How long a transaction lasts: 32 seconds. */
export function transactionMs({ t1 }: Pick<SipTimers, 't1'>): number {
  return 64 * t1;
}
