/** Calls that begin together, talk at the same time, and hang up. */
export interface CallsJob {
  /** The UDP port of the service. */
  port: number;
  to: string;
  /** How many call at the same time. */
  calls: number;
  /** They begin, and speak, spread over this time: callers do not speak in unison. */
  spreadMs: number;
  turns: number;
  /** μ-law; begins and ends with a sound. */
  words: Buffer;
  /** Interrupts every reply, this long after its first sound. Left out: listens to the end. */
  interruptAfterMs?: number;
  /** A reply is over after so much silence. */
  quietMs: number;
}

/** Milliseconds, of all calls together. Everything is taken where it passes the wire at the caller. */
export interface CallsOutcome {
  /** From the answer to the first sound. */
  greetings: number[];
  /** From the caller's last sound to the first one of the reply. */
  replies: number[];
  /** From the caller's first sound to the last one of the bot. */
  stops: number[];
  /** How far each packet was from its place in the stream of its call. */
  pacing: number[];
  /** The longest time without a packet, of each call. */
  gaps: number[];
}
