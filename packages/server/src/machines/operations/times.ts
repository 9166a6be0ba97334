export type Times = typeof defaultTimes;

export const defaultTimes = {
  /** How long an operation waits for its machine to connect. */
  connectMs: 15_000,
  /** The same for checking a directory: a request waits for the answer. */
  checkConnectMs: 3_000,
  /** How long an operation that was sent waits for a machine that has gone offline. */
  offlineMs: 30_000,
  /** How long a result may take to arrive, beyond the time that the operation itself has. */
  graceMs: 15_000,
  /** Messages between nodes can be lost, so an operation is sent to another node again after this time. */
  resendMs: 15_000,
  /** How long a machine may take to come back and receive a cancellation. */
  cancelMs: 60_000,
  /** How long an outcome that came late is kept for a turn that has not ended the call yet: after that it does not need it. */
  noteMs: 5 * 60_000,
};
