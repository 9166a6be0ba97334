import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createGuardedLane, type GuardedLane } from '../../src/egress/guarded-lane.ts';
import { encryptionFor } from '../../src/tools/types/send-email/deliver.ts';
import { createSendEmail } from '../../src/tools/types/send-email/send-email.ts';
import { patienceMs } from '../support/patience.ts';

interface Received {
  from: string;
  to: string[];
  user: unknown;
  encrypted: boolean;
  raw: string;
}

const password = 'canary-s3cret';
let lane: GuardedLane;
const received: Received[] = [];
const cleanUp: (() => Promise<void>)[] = [];
beforeAll(() => {
  lane = createGuardedLane({ allow: ['127.0.0.1'] });
});
afterAll(() => lane.close());
afterEach(async () => {
  received.length = 0;
  for (const step of cleanUp.splice(0)) await step();
});

/** A real mail server that keeps what it receives. */
async function startMailServer(options: SMTPServerOptions = {}): Promise<number> {
  const server = new SMTPServer({
    authOptional: true,
    onAuth: (auth, _session, done) =>
      auth.password === password ? done(null, { user: auth.username }) : done(new Error('Invalid login')),
    async onData(stream, session, done) {
      let raw = '';
      for await (const chunk of stream) raw += String(chunk);
      const { mailFrom, rcptTo } = session.envelope;
      received.push({
        from: mailFrom ? mailFrom.address : '',
        to: rcptTo.map(({ address }) => address),
        user: session.user,
        encrypted: session.secure,
        raw,
      });
      done();
    },
    ...options,
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  cleanUp.push(() => new Promise((resolve) => server.close(resolve)));
  return (server.server.address() as AddressInfo).port;
}

/** A server that answers each line as the test defines. */
async function startRawServer(
  onLine: (line: string, socket: Socket) => void,
  greeting = '220 hello\r\n',
): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    if (greeting) socket.write(greeting);
    socket.on('data', (chunk) => {
      for (const line of String(chunk).trim().split('\r\n')) onLine(line, socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return (server.address() as AddressInfo).port;
}

const account = { username: 'bot', password };
const mail = { subject: 'Grüße', text: 'Hello,\nworld.' };

function toolWith(configuration: object) {
  return {
    id: undefined,
    workspaceId: 'w',
    name: 'Mail',
    description: 'x',
    configuration: {
      host: '127.0.0.1',
      from: 'Bot <bot@example.com>',
      to: 'team@example.com',
      ...configuration,
    },
  };
}

async function send(
  configuration: object,
  given: Record<string, unknown> = mail,
  signal = AbortSignal.timeout(patienceMs),
) {
  const type = createSendEmail({ openSocket: lane.openSocket });
  const [first] = await type.functions(toolWith(configuration), signal);
  const run = {
    workspaceId: 'w',
    botId: undefined,
    conversationId: undefined,
    signal,
    onProgress: () => undefined,
  };
  return first?.run(given, run);
}

it.each([
  ['team@example.com', {}, mail],
  [String.raw`"a@example.com\nServer: x"`, { to: '' }, { ...mail, to: 'a@example.com\nServer: x' }],
])(
  'shows the person who approves it the sender, the recipients %s and the server',
  async (to, more, given) => {
    const signal = AbortSignal.timeout(patienceMs);
    const type = createSendEmail({ openSocket: lane.openSocket });
    const [first] = await type.functions(toolWith({ ...account, ...more }), signal);
    const context = { botId: undefined, conversationId: undefined, signal };
    expect(await first?.describeCall?.(given, context)).toEqual({
      context: {
        kind: 'call',
        summary: `From: Bot <bot@example.com>\nTo: ${to}\nServer: 127.0.0.1:587\n${JSON.stringify(given)}`,
      },
    });
  },
);

describe('sending mail', () => {
  it('delivers it with the account, encrypted where the server supports it', async () => {
    const port = await startMailServer();
    const result = await send({ port, ...account });
    expect(result).toEqual({
      status: 'ok',
      content: 'The mail was handed over for team@example.com.',
      result: { message_id: expect.stringContaining('@'), to: ['team@example.com'] },
    });
    const [only] = received;
    expect(only).toMatchObject({
      from: 'bot@example.com',
      to: ['team@example.com'],
      user: 'bot',
      encrypted: true,
    });
    expect(only?.raw).toContain('From: Bot <bot@example.com>');
    expect(only?.raw).toMatch(/Subject: =\?UTF-8\?/);
    expect(only?.raw).toContain('Hello,\r\nworld.');
  });

  it('is encrypted from the start when configured', async () => {
    const port = await startMailServer({ secure: true });
    expect(await send({ port, secure: true, ...account })).toMatchObject({ status: 'ok' });
    expect(received[0]).toMatchObject({ user: 'bot', encrypted: true });
  });

  it('works without an account', async () => {
    const port = await startMailServer({ disabledCommands: ['STARTTLS', 'AUTH'] });
    expect(await send({ port })).toMatchObject({ status: 'ok' });
    expect(received[0]).toMatchObject({ encrypted: false });
  });

  it('lets the model choose the recipient only if the configuration does not', async () => {
    const port = await startMailServer();
    expect(await send({ port }, { ...mail, to: 'somebody@example.com' })).toMatchObject({
      status: 'error',
      content: expect.stringContaining('to is not a known field'),
    });
    const open = { port, to: '' };
    expect(await send(open)).toMatchObject({
      status: 'error',
      content: expect.stringContaining('to is required'),
    });
    expect(await send(open, { ...mail, to: 'a@example.com, B <b@example.com>' })).toMatchObject({
      status: 'ok',
    });
    expect(received.map(({ to }) => to)).toEqual([['a@example.com', 'b@example.com']]);
  });

  it('refuses values that would add a header or a recipient', async () => {
    const port = await startMailServer();
    const wrong: Record<string, unknown>[] = [
      { subject: 'Hi\r\nBcc: evil@example.com', text: 'x' },
      { subject: 'Hi\nBcc: evil@example.com', text: 'x' },
      { subject: 'Hi\u0000', text: 'x' },
      { subject: 'Hi', text: 'x', to: 'a@example.com\r\nRCPT TO:<evil@example.com>' },
      { subject: 'Hi', text: 'x', to: '"a@evil.com x"@example.com' },
      {
        subject: 'Hi',
        text: 'x',
        to: Array.from({ length: 21 }, (_, index) => `a${index}@example.com`).join(','),
      },
      { subject: 'Hi', text: { path: '/etc/passwd' }, to: 'a@example.com' },
      { subject: 'Hi', text: 'x', to: 'a@example.com', attachments: [{ path: '/etc/passwd' }] },
      { subject: 'Hi', text: 'x', to: 'a@example.com', html: '<img>' },
    ];
    for (const given of wrong) {
      const configuration = { port, ...('to' in given && { to: '' }) };
      expect(await send(configuration, given), JSON.stringify(given)).toMatchObject({ status: 'error' });
    }
    expect(received).toEqual([]);
  });
});

describe('mail that cannot be sent', () => {
  it('because of the password does not reveal it', async () => {
    const port = await startMailServer();
    const wrong = await send({ port, ...account, password: 'canary-wr0ng' });
    expect(wrong).toMatchObject({
      status: 'error',
      content: expect.stringContaining('did not accept the user name'),
    });
    expect(JSON.stringify(wrong)).not.toContain('canary');
  });

  it('is reported without the secrets that the server repeats', async () => {
    const port = await startRawServer((line, socket) => {
      if (line.startsWith('EHLO')) socket.write('250-x\r\n250 AUTH PLAIN\r\n');
      else if (line.startsWith('AUTH')) socket.write('235 ok\r\n');
      else socket.write(`550 you said ${password} and ${Buffer.from(password).toString('base64')}\r\n`);
    });
    const result = await send({ port, ...account });
    expect(result).toMatchObject({
      status: 'error',
      content: expect.stringContaining('refused the mail: 550 you said ***'),
    });
    expect(JSON.stringify(result)).not.toContain(password);
    expect(JSON.stringify(result)).not.toContain(Buffer.from(password).toString('base64'));
  });

  it('because a recipient is refused is reported as such', async () => {
    const port = await startMailServer({
      onRcptTo: (_address, _session, done) => done(new Error('No such person')),
    });
    expect(await send({ port })).toMatchObject({
      status: 'error',
      content: expect.stringContaining('No such person'),
    });
  });

  it('because the server is unreachable or not a mail server is reported as such', async () => {
    const closed = await startRawServer(() => undefined);
    for (const step of cleanUp.splice(0)) await step();
    expect(await send({ port: closed })).toMatchObject({
      status: 'error',
      content: '127.0.0.1 refused the connection.',
    });
    const web = await startRawServer(() => undefined, 'HTTP/1.1 400 Bad Request\r\n\r\n');
    expect(await send({ port: web })).toMatchObject({
      status: 'error',
      content: expect.stringMatching(/mail/),
    });
    const hangsUp = await startRawServer((_line, socket) => socket.destroy());
    expect(await send({ port: hangsUp })).toMatchObject({
      status: 'error',
      content: expect.stringContaining('lost'),
    });
  });

  it('because the server is silent ends when it is aborted', async () => {
    const port = await startRawServer(() => undefined, '');
    const stopping = new AbortController();
    setTimeout(() => stopping.abort(new Error('stopped')), 200);
    await expect(send({ port }, mail, stopping.signal)).rejects.toThrow('stopped');
  });

  it('because it is in a private network is not even tried', async () => {
    const port = await startMailServer();
    const guarded = createGuardedLane({ allow: [] });
    const type = createSendEmail({ openSocket: guarded.openSocket });
    const signal = AbortSignal.timeout(patienceMs);
    for (const host of [
      '127.0.0.1',
      '2130706433',
      '::1',
      'localhost',
      '169.254.169.254',
      '::ffff:127.0.0.1',
    ]) {
      const configuration = { host, port, from: 'a@example.com', to: 'b@example.com', ...account };
      const tool = { id: undefined, workspaceId: 'w', name: 'M', description: '', configuration };
      const [first] = await type.functions(tool, signal);
      const run = {
        workspaceId: 'w',
        botId: undefined,
        conversationId: undefined,
        signal,
        onProgress: () => undefined,
      };
      expect(await first?.run(mail, run), host).toMatchObject({
        status: 'error',
        content: expect.stringContaining('public'),
      });
    }
    expect(received).toEqual([]);
    await guarded.close();
  });

  it('never sends a password to another machine in the clear', () => {
    expect(encryptionFor('203.0.113.7', true)).toEqual({ requireTLS: true });
    expect(encryptionFor('10.0.0.7', true)).toEqual({ requireTLS: true });
    expect(encryptionFor('203.0.113.7', false)).toEqual({ requireTLS: false });
    expect(encryptionFor('', true)).toEqual({ requireTLS: true });
    for (const local of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
      expect(encryptionFor(local, true)).toEqual({ tls: { rejectUnauthorized: false } });
    }
  });
});
