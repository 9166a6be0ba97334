import { describe, expect, it } from 'vitest';
import { createMessageReader } from './message-reader.ts';

function read(chunks: Buffer[]) {
  const messages: string[] = [];
  const problems: string[] = [];
  const reader = createMessageReader({
    onMessage: (data) => messages.push(data.toString()),
    onBroken: (problem) => problems.push(problem),
  });
  for (const chunk of chunks) reader.read(chunk);
  return { messages, problems };
}

const message = (length: string, body = '') => `OPTIONS sip:a SIP/2.0\r\n${length}\r\n\r\n${body}`;

describe('a stream of messages', () => {
  it('is split where they end, however it arrives', () => {
    const sent = [
      message('Content-Length: 5', 'audio'),
      message('CSeq: 1 OPTIONS\r\nl : 0'),
      message('content-length:3', '\r\n\r'),
    ];
    const stream = Buffer.from(`\r\n\r\n${sent.join('\r\n')}\r\n\r\n`);
    for (const size of [1, 7, 40, stream.length]) {
      const count = Math.ceil(stream.length / size);
      const chunks = Array.from({ length: count }, (_value, index) =>
        stream.subarray(index * size, (index + 1) * size),
      );
      expect(read(chunks)).toEqual({ messages: sent, problems: [] });
    }
  });

  it('is broken by messages that are too long, or do not say how long they are', () => {
    for (const [text, problem] of [
      [`OPTIONS sip:a SIP/2.0\r\nA: ${'a'.repeat(17_000)}`, 'headers are too long'],
      [message('Content-Length: 65537'), 'body is too long'],
      [message('Content-Length: 99999999999'), 'no valid Content-Length'],
      [message('Content-Length: -1'), 'no valid Content-Length'],
      [message('CSeq: 1 OPTIONS'), 'no valid Content-Length'],
      [message('Content-Length: 0\r\nl: 5', 'audio'), 'no valid Content-Length'],
    ] as const) {
      const good = message('Content-Length: 0');
      const result = read([Buffer.from(good), Buffer.from(text), Buffer.from(good)]);
      expect(result).toEqual({ messages: [good], problems: [expect.stringContaining(problem)] });
    }
  });
});
