import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { eventually } from './user.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.stop());

it('a form above 64 MB is refused before it is fully read', async () => {
  const { status, code } = await sendEndlessly({ announced: 70 * 1024 * 1024 });
  expect({ status, code }).toEqual({ status: 413, code: 'PAYLOAD_TOO_LARGE' });
});

it('a form above 64 MB is refused even without Content-Length', async () => {
  const { status, code, sent } = await sendEndlessly({});
  expect({ status, code }).toEqual({ status: 413, code: 'PAYLOAD_TOO_LARGE' });
  expect(sent).toBeGreaterThan(64 * 1024 * 1024);
  expect(sent).toBeLessThan(100 * 1024 * 1024);
});

describe('a form that is refused is still read to its end', { timeout: 20_000 }, () => {
  const field = (name: string) => `--edge\r\nContent-Disposition: form-data; name="${name}"\r\n\r\nx\r\n`;
  const file = `--edge\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\n${'x'.repeat(5_000_000)}\r\n`;

  it.each([
    ['a field in place of a file', field('files'), 'files must be a file'],
    ['a field twice', field('title') + field('title'), 'title was sent more than once'],
    [
      'too many fields',
      Array.from({ length: 21 }, (_, index) => field(`f${index}`)).join(''),
      'The form has more than 20 fields.',
    ],
    ['too many files', file.replace('x'.repeat(5_000_000), 'x').repeat(6), 'files must be at most 5'],
  ])('%s', async (_what, start, message) => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString();
    });
    const head = `Host: x\r\nAuthorization: Bearer ${service.key}\r\n`;
    const body = `${start}${file.repeat(4)}--edge--\r\n`;
    await new Promise((sent) =>
      socket.write(
        `POST /api/v1/knowledge HTTP/1.1\r\n${head}Content-Length: ${body.length}\r\nContent-Type: multipart/form-data; boundary=edge\r\n\r\n${body}`,
        sent,
      ),
    );
    await eventually(() => received).toContain(message);
    expect(received).toMatch(/^HTTP\/1\.1 400 /);
    socket.write(`GET /healthz HTTP/1.1\r\n${head}\r\n`);
    await eventually(() => received).toContain('HTTP/1.1 200 OK');
    socket.destroy();
  });
});

/** Sends an endless file until there is a response. */
async function sendEndlessly({ announced }: { announced?: number }) {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  const isAnswered = () => answer.includes('}');
  const answered = new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      answer += chunk.toString();
      if (isAnswered()) resolve();
    });
  });
  const length = announced === undefined ? 'Transfer-Encoding: chunked' : `Content-Length: ${announced}`;
  socket.write(
    `POST /api/v1/knowledge HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n${length}\r\nContent-Type: multipart/form-data; boundary=edge\r\n\r\n`,
  );
  const write = (text: string) => {
    const framed = announced === undefined ? `${text.length.toString(16)}\r\n${text}\r\n` : text;
    if (!socket.write(framed)) return new Promise((wake) => socket.once('drain', wake));
    return undefined;
  };
  await write('--edge\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\n');
  const megabyte = 'x'.repeat(1024 * 1024);
  let sent = 0;
  while (!isAnswered() && sent < 100 * 1024 * 1024 && announced === undefined) {
    await Promise.race([write(megabyte), answered]);
    sent += megabyte.length;
    await new Promise((wake) => setImmediate(wake));
  }
  await answered;
  socket.destroy();
  return { status: Number(answer.split(' ')[1]), code: /"code":"(\w+)"/.exec(answer)?.[1], sent };
}
