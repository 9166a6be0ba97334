/** In milliseconds. The process that works on files ends itself before the daemon has to kill it. */
export const timeLimits = {
  /** When a search or a list stops and returns what it has. */
  partial: 15_000,
  /** For everything that only reads, and for preparing a change. */
  bounded: 25_000,
  /** After that the daemon kills the process. */
  read: 30_000,
  change: 60_000,
} as const;
