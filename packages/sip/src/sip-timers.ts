/** In milliseconds. The first three are those of RFC 3261. */
export const sipTimers = {
  /** An estimate of the round trip: the first retransmission. */
  t1: 500,
  /** The longest interval between retransmissions. */
  t2: 4_000,
  /** How long messages may stay in the network. */
  t4: 5_000,
  /** The trunk must respond to a call within this time. */
  trunkAnswer: 8_000,
  /** A trunk that has only said that it is trying counts as having accepted the call after this time. */
  trunkTrying: 10_000,
  ring: 60_000,
  /** The same for the number of a transfer, while the caller waits. */
  transferRing: 30_000,
  /** Incoming calls are decided about within this time. */
  decision: 20_000,
  /** A call over UDP is ended if its caller does not acknowledge our answer within this time. */
  confirmation: 5_000,
  /** A line on which nothing is received is checked after this time. */
  mediaSilence: 30_000,
  /** The other side responds to that check within this time. */
  check: 8_000,
  keepAlive: 30_000,
  /** The trunk reports the outcome of a transfer within this time. */
  transfer: 60_000,
  /** The first attempt to register, or to connect, again after a failure. The next ones wait longer, up to `maxBackoff`. */
  backoff: 2_000,
  maxBackoff: 120_000,
  stop: 1_500,
};

export type SipTimers = typeof sipTimers;

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
