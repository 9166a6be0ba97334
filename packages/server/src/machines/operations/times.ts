export interface Times {
  /** How long an operation waits for its machine to connect. */
  connectMs: number;
  /** The same for checking a directory: a request waits for the answer. */
  checkConnectMs: number;
  /** How long a result may take to arrive, beyond the time that the operation itself has. */
  graceMs: number;
  /** Messages between nodes can be lost, so an operation is sent to another node again after this time. */
  resendMs: number;
  /** How long a machine that is not connected may take to come back and receive a cancellation. */
  cancelMs: number;
}

export const defaultTimes: Times = {
  connectMs: 15_000,
  checkConnectMs: 3_000,
  graceMs: 15_000,
  resendMs: 15_000,
  cancelMs: 60_000,
};
