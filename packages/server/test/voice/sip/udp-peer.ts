import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { vi } from 'vitest';
import { patienceMs } from '../../support/patience.ts';

/** A peer whose every message is written by the test. */
export interface UdpPeer {
  readonly port: number;
  readonly received: string[];
  /**
   * The next message, of those not returned yet, that begins with this text and has this line. A request that is sent again is
   * returned once.
   */
  next(start: string, line?: string): Promise<string>;
  /** Waits until a request comes once more. */
  again(request: string): Promise<unknown>;
  send(port: number, lines: string[] | Buffer): void;
  /** Answers a request. */
  reply(request: string, status: string, headers?: string[], body?: string): void;
  close(): void;
}

export async function openUdpPeer(address = '127.0.0.1'): Promise<UdpPeer> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4').bind(0, address);
  await once(socket, 'listening');
  const host = address.includes(':') ? `[${address}]` : address;
  const contact = `sip:peer@${host}:${socket.address().port}`;
  const received: string[] = [];
  const waiting: string[] = [];
  let last: RemoteInfo | undefined;
  socket.on('message', (data, info) => {
    // OPTIONS of the keep-alive and audio are not what tests are about.
    if (!/^(SIP\/2\.0|[A-Z]+ )/.test(data.toString('latin1', 0, 16))) return;
    last = info;
    const text = data.toString();
    // On a busy machine requests are sent again before their answer arrives.
    const isRepeated = !text.startsWith('SIP/2.0') && received.includes(text);
    received.push(text);
    if (!isRepeated) waiting.push(text);
  });
  return {
    port: socket.address().port,
    received,
    next: (start, line = '') =>
      vi.waitUntil(
        () => {
          const index = waiting.findIndex((text) => text.startsWith(start) && text.includes(line));
          return index === -1 ? undefined : waiting.splice(0, index + 1).at(-1);
        },
        { timeout: patienceMs, interval: 5 },
      ),
    again: (sent) =>
      vi.waitUntil(() => received.filter((text) => text === sent).length > 1, {
        timeout: patienceMs,
        interval: 5,
      }),
    send(port, lines) {
      const to = address.includes(':') ? address : '127.0.0.1';
      socket.send(Buffer.isBuffer(lines) ? lines : lines.join('\r\n'), port, to);
    },
    reply(asked, status, headers = [], body = '') {
      const repeated = asked.split('\r\n').filter((line) => /^(Via|From|Call-ID|CSeq):/.test(line));
      const to = headerIn(asked, 'To');
      const lines = [
        `SIP/2.0 ${status}`,
        ...repeated,
        `To: ${to}${to.includes(';tag=') ? '' : ';tag=peer'}`,
        ...(headers.some((line) => line.startsWith('Contact:')) ? [] : [`Contact: <${contact}>`]),
        ...headers,
        ...(body ? ['Content-Type: application/sdp'] : []),
        `Content-Length: ${body.length}`,
        '',
        body,
      ];
      if (last) socket.send(lines.join('\r\n'), last.port, last.address);
    },
    close: () => socket.close(),
  };
}

export function headerIn(message: string, name: string): string {
  return new RegExp(`^${name}: (.*)$`, 'm').exec(message)?.[1]?.trim() ?? '';
}

export const description = (port: number, formats = '0') =>
  [
    'v=0',
    'o=- 1 1 IN IP4 127.0.0.1',
    's=-',
    'c=IN IP4 127.0.0.1',
    't=0 0',
    `m=audio ${port} RTP/AVP ${formats}`,
    '',
  ].join('\r\n');

/** A request of the peer; `call` names the Call-ID and the tags. */
export function request(
  peer: { port: number },
  method: string,
  options: { call?: string; branch?: string; cseq?: number; toTag?: string; body?: string } = {},
): string[] {
  const { call = 'call', cseq = 1, toTag = '', body = '' } = options;
  const { branch = `${method}-${call}` } = options;
  return [
    `${method} sip:+4930100@127.0.0.1 SIP/2.0`,
    `Via: SIP/2.0/UDP 127.0.0.1:${peer.port};branch=z9hG4bK-${branch};rport`,
    `f: "A, B" <sip:+4930999@127.0.0.1>`,
    ` ;tag=peer-${call}`,
    `t: <sip:+4930100@127.0.0.1>${toTag && `;tag=${toTag}`}`,
    `i: ${call}`,
    `CSeq: ${cseq} ${method}`,
    `m: <sip:peer@127.0.0.1:${peer.port}>`,
    ...(body ? ['c: application/sdp'] : []),
    `l: ${body.length}`,
    '',
    body,
  ];
}

export const toTagOf = (message: string) => /;tag=([^;\s]+)/.exec(headerIn(message, 'To'))?.[1] ?? '';
