import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { createMessageReader } from '@svc/sip/message/message-reader';
import { vi } from 'vitest';
import { testCertificate, testCertificateKey } from '../../egress/certificate.ts';
import { patienceMs } from '../../support/patience.ts';

/** A trunk with TLS whose every message is written by the test. Its certificate is for secure.example. */
export interface TlsPeer {
  readonly port: number;
  /** How many connections there have been. */
  readonly connections: number;
  readonly received: string[];
  /** The next message, of those not returned yet, that begins with this text. */
  next(start: string): Promise<string>;
  /** Sends over the newest connection. */
  send(text: string): void;
  reply(request: string, status: string, headers?: string[]): void;
  /** Closes the newest connection. */
  drop(): void;
  close(): void;
}

export async function openTlsPeer(): Promise<TlsPeer> {
  const sockets: TLSSocket[] = [];
  const received: string[] = [];
  const waiting: string[] = [];
  const server = createServer({ cert: testCertificate, key: testCertificateKey }, (socket) => {
    sockets.push(socket);
    const reader = createMessageReader({
      onMessage(data) {
        received.push(data.toString());
        waiting.push(data.toString());
      },
      onBroken: (problem) => waiting.push(`BROKEN ${problem}`),
    });
    socket.on('data', (chunk: Buffer) => reader.read(chunk));
    // A client that does not trust us ends the connection.
    socket.on('error', () => undefined);
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const send = (text: string) => void sockets.at(-1)?.write(text);
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return sockets.length;
    },
    received,
    next: (start) =>
      vi.waitUntil(
        () => {
          const index = waiting.findIndex((text) => text.startsWith(start));
          return index === -1 ? undefined : waiting.splice(0, index + 1).at(-1);
        },
        { timeout: patienceMs, interval: 5 },
      ),
    send,
    reply(request, status, headers = []) {
      const repeated = request.split('\r\n').filter((line) => /^(Via|From|To|Call-ID|CSeq):/.test(line));
      const lines = [`SIP/2.0 ${status}`, ...repeated, ...headers, 'Content-Length: 0', '', ''];
      send(lines.join('\r\n').replace(/^(To: [^;\r]*)\r$/m, '$1;tag=peer\r'));
    },
    drop: () => void sockets.at(-1)?.destroy(),
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
