import { randomInt } from 'node:crypto';
import { openUdpSocket, PortTaken, type UdpSocket } from '../udp-socket.ts';

export interface RtpPortPair {
  socket: UdpSocket;
  close(): void;
}

export interface RtpPortsOptions {
  host: string;
  min: number;
  max: number;
  onError(error: Error): void;
}

/** The ports of calls: an even one for audio, the next one for reports about it. */
export function createRtpPorts({ host, min, max, onError }: RtpPortsOptions) {
  const first = min + (min % 2);
  const count = Math.max(0, Math.floor((max - first + 1) / 2));
  const taken = new Set<number>();
  // Ports are used one after the other, so that late packets of a call that is over do not reach the next one.
  let next = count > 0 ? randomInt(count) : 0;

  async function openPair(port: number): Promise<RtpPortPair | undefined> {
    const opened: UdpSocket[] = [];
    try {
      opened.push(await openUdpSocket({ host, port, onError }));
      // Reports are not used, but we hold the port, so that no other program can send from it.
      opened.push(await openUdpSocket({ host, port: port + 1, onError }));
    } catch (error) {
      for (const socket of opened) socket.close();
      taken.delete(port);
      if (error instanceof PortTaken) return undefined;
      throw error;
    }
    const [socket] = opened;
    if (!socket) return undefined;
    const close = () => {
      for (const one of opened) one.close();
      taken.delete(port);
    };
    return { socket, close };
  }

  return {
    /** Opens a pair; `undefined` if all are in use. */
    async open(): Promise<RtpPortPair | undefined> {
      for (let tried = 0; tried < count; tried += 1) {
        const port = first + next * 2;
        next = (next + 1) % count;
        if (taken.has(port)) continue;
        taken.add(port);
        const pair = await openPair(port);
        if (pair) return pair;
      }
      return undefined;
    },
  };
}
