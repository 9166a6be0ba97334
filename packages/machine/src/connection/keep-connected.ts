import { setTimeout as sleep } from 'node:timers/promises';
import type { MachineFrame } from '@svc/contract/machine-protocol';
import type { Terminal } from '../terminal/terminal.ts';
import { backoffMs, maxDelayMs } from './backoff.ts';
import { type MachineSocket, openSocket, type SocketOptions } from './open-socket.ts';

export type ServiceConnection = ReturnType<typeof keepConnected>;

/** A connection that lasted this long was a good one: the next delay starts small again. */
const stableMs = 10_000;
/** A service that sends nothing but nonsense must not fill the terminal. */
const maxTroubles = 20;

/** Connects, and connects again whenever the connection is lost. */
export function keepConnected(
  options: Omit<SocketOptions, 'onTrouble'> & { onDisconnect(): void },
  terminal: Terminal,
) {
  const stopping = new AbortController();
  let socket: MachineSocket | undefined;

  async function run(): Promise<string | undefined> {
    let attempt = 0;
    let lastReason = '';
    while (!stopping.signal.aborted) {
      let welcomedAt = Number.POSITIVE_INFINITY;
      let troubles = 0;
      socket = openSocket({
        ...options,
        onTrouble(message) {
          troubles += 1;
          if (troubles <= maxTroubles) terminal.warn(message);
        },
        onWelcome(machine) {
          welcomedAt = performance.now();
          lastReason = '';
          options.onWelcome(machine);
        },
      });
      const { reason, isFinal, retryAfterMs } = await socket.ended;
      options.onDisconnect();
      if (stopping.signal.aborted) break;
      if (isFinal) return reason;
      if (performance.now() - welcomedAt > stableMs) attempt = 0;
      // Added, so that machines that were refused together do not return together.
      const delay = retryAfterMs + backoffMs(attempt);
      attempt += 1;
      // A service that is away for long is reported once, not after every attempt.
      if (reason !== lastReason || delay < maxDelayMs / 2) {
        terminal.line(`${reason}; trying again in ${(delay / 1000).toFixed(1)} s`, 'bad');
      }
      lastReason = reason;
      // Cut short when the daemon stops: the loop ends.
      await sleep(delay, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
    return undefined;
  }

  const ended = run();
  return {
    send: (frame: MachineFrame) => socket?.send(frame),
    /** Ends the connection for good. */
    async close(): Promise<void> {
      stopping.abort();
      socket?.close();
      await ended;
    },
    /** Why connecting again is pointless; undefined if it was closed from here. */
    ended,
  };
}
