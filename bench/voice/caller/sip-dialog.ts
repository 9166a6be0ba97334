import { randomUUID } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** The signalling of one call that we make, with no more of SIP than loopback needs. */
export interface SipDialog {
  /** Rings, and confirms the answer. */
  answered: { rtpPort: number; at: number };
  hangUp(): Promise<void>;
}

const giveUpMs = 15_000;
const host = '127.0.0.1';

export async function dial(options: { port: number; to: string; rtpPort: number }): Promise<SipDialog> {
  const { port, to, rtpPort } = options;
  const socket = createSocket('udp4').bind(0, host);
  await once(socket, 'listening');
  const own = socket.address().port;
  const id = randomUUID();
  const sdp = `v=0\r\no=- 1 1 IN IP4 ${host}\r\ns=-\r\nc=IN IP4 ${host}\r\nt=0 0\r\nm=audio ${rtpPort} RTP/AVP 0\r\n`;
  const results = new Map<string, (message: string) => void>();

  function send(method: string, sequence: number, toHeader: string, body = ''): void {
    const lines = [
      `${method} sip:${to}@${host}:${port} SIP/2.0`,
      `Via: SIP/2.0/UDP ${host}:${own};branch=z9hG4bK-${method}-${id};rport`,
      `From: <sip:+4930999@${host}:${own}>;tag=${id}`,
      `To: ${toHeader}`,
      `Call-ID: ${id}`,
      `CSeq: ${sequence} ${method}`,
      `Contact: <sip:caller@${host}:${own}>`,
      'Max-Forwards: 70',
      ...(body ? ['Content-Type: application/sdp'] : []),
      `Content-Length: ${body.length}`,
      '',
      body,
    ];
    socket.send(lines.join('\r\n'), port, host);
  }

  /** Resolves with the final answer and the moment when it came. */
  function ask(method: string, sequence: number, toHeader: string, body?: string) {
    const { promise, resolve, reject } = Promise.withResolvers<{ message: string; at: number }>();
    const limit = setTimeout(() => reject(new Error(`${method} was not answered.`)), giveUpMs);
    results.set(method, (message) => {
      clearTimeout(limit);
      resolve({ message, at: performance.now() });
    });
    send(method, sequence, toHeader, body);
    return promise;
  }

  socket.on('message', (data) => {
    const message = data.toString();
    const method = /^CSeq: \d+ (\w+)/im.exec(message)?.[1] ?? '';
    if (/^SIP\/2\.0 [2-6]/.test(message)) results.get(method)?.(message);
  });
  const { message, at } = await ask('INVITE', 1, `<sip:${to}@${host}:${port}>`, sdp);
  const toHeader = /^(?:To|t): (.*)$/im.exec(message)?.[1]?.trim() ?? '';
  send('ACK', 1, toHeader);
  if (!message.startsWith('SIP/2.0 200')) {
    socket.close();
    throw new Error(`The call was refused: ${message.split('\r\n', 1).join('')}`);
  }
  return {
    answered: { rtpPort: Number(/^m=audio (\d+)/m.exec(message)?.[1]), at },
    async hangUp() {
      await ask('BYE', 2, toHeader).finally(() => socket.close());
    },
  };
}
