import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import ipaddr from 'ipaddr.js';
import type { Peer } from './message/sip-message.ts';

export type UdpSocket = Awaited<ReturnType<typeof openUdpSocket>>;

/** Another program, or another process of the service, has the port. */
export class PortTaken extends Error {
  override readonly name = 'PortTaken';
}

export interface UdpSocketOptions {
  host: string;
  port: number;
  /** Packets that could not be sent, and the like. UDP loses packets anyway, so nothing else depends on it. */
  onError(error: Error): void;
}

/** Opens a socket that is bound to this address. Throws PortTaken if that is in use. */
export async function openUdpSocket({ host, port, onError }: UdpSocketOptions) {
  const socket = createUdpSocket(host);
  try {
    const listening = once(socket, 'listening');
    socket.bind({ address: host, port, exclusive: true });
    await listening;
  } catch (error) {
    socket.close();
    const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    if (!isTaken) throw error;
    throw new PortTaken(`UDP port ${port} on ${host} is in use.`, { cause: error });
  }
  let isClosed = false;
  socket.on('error', onError);
  return {
    port: socket.address().port,
    onMessage(handler: (data: Buffer, source: Peer) => void): void {
      socket.on('message', (data, { address, port: sourcePort }) => {
        if (!isClosed) handler(data, { address: plainAddress(address), port: sourcePort });
      });
    },
    send(data: Buffer, to: Peer): void {
      if (isClosed) return;
      socket.send(data, to.port, to.address, (error) => {
        if (error && !isClosed) onError(error);
      });
    },
    close(): void {
      if (isClosed) return;
      isClosed = true;
      socket.close();
    },
  };
}

/** The address of this machine that packets to the peer come from. */
export async function localAddressTowards(peer: Peer): Promise<string> {
  const socket = createUdpSocket(peer.address);
  try {
    const connected = once(socket, 'connect');
    socket.connect(peer.port, peer.address);
    await connected;
    return plainAddress(socket.address().address);
  } finally {
    socket.close();
  }
}

function createUdpSocket(address: string): Socket {
  const family = ipaddr.IPv6.isValid(address) ? 6 : 4;
  return createSocket({
    type: family === 6 ? 'udp6' : 'udp4',
    // All addresses are numbers here: looking them up would delay each packet.
    lookup: (host, _options, callback) => callback(null, host, family),
  });
}

function plainAddress(address: string): string {
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
}
