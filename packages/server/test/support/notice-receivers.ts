import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

export interface Receiver {
  url: string;
  posts: { headers: IncomingHttpHeaders; body: string }[];
  /** The statuses to answer with, in order; then 204. */
  answers: number[];
  close(): void;
}

/** Receives webhooks at an address with a token. */
export async function startReceiver(token: string): Promise<Receiver> {
  const posts: Receiver['posts'] = [];
  const answers: number[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      posts.push({ headers: request.headers, body });
      response.writeHead(answers.shift() ?? 204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?token=${token}`;
  return { url, posts, answers, close: () => void server.close() };
}

export interface MailBox {
  port: number;
  mails: { to: string[]; from: string; user: unknown; raw: string }[];
  close(): Promise<void>;
}

/** Accepts mail from clients that know the password; it refuses `refused@…` with an error that quotes the password. */
export async function startMailBox(password: string): Promise<MailBox> {
  const mails: MailBox['mails'] = [];
  const server = new SMTPServer({
    onAuth: (auth, _session, done) =>
      auth.password === password ? done(null, { user: auth.username }) : done(new Error('Invalid login')),
    onRcptTo: ({ address }, _session, done) =>
      done(address.startsWith('refused') ? new Error(`No ${address}, nor ${password}`) : null),
    async onData(stream, session, done) {
      const raw = await text(stream);
      const { mailFrom, rcptTo } = session.envelope;
      const to = rcptTo.map(({ address }) => address);
      mails.push({ to, from: mailFrom ? mailFrom.address : '', user: session.user, raw });
      done();
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
