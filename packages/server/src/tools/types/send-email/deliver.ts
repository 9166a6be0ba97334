import type { Socket } from 'node:net';
import type { MailAddress } from './email-addresses.ts';

/** A connection through the guarded lane. */
export type OpenSocket = (target: { host: string; port: number; signal: AbortSignal }) => Promise<Socket>;

export interface MailServer {
  host: string;
  port: number;
  secure: boolean;
  username?: string;
  password?: string;
}

export interface Mail {
  from: MailAddress;
  to: MailAddress[];
  subject: string;
  text: string;
}

const greetingWithinMs = 15_000;
const maxIdleMs = 30_000;

/** Hands a mail to its server. Throws errors of the library and the guard, or the signal's reason. */
export async function deliver(server: MailServer, mail: Mail, openSocket: OpenSocket, signal: AbortSignal) {
  const { createTransport } = await import('nodemailer');
  const { host, port, secure, username, password } = server;
  const socket = await openSocket({ host, port, signal });
  const stop = () => socket.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const transport = createTransport({
      host,
      port,
      secure,
      ...encryptionFor(socket.remoteAddress ?? '', password !== undefined),
      ...(username !== undefined && { auth: { user: username, pass: password ?? '' } }),
      getSocket: (_options: unknown, callback: (error: null, given: { connection: Socket }) => void) =>
        callback(null, { connection: socket }),
      greetingTimeout: greetingWithinMs,
      socketTimeout: maxIdleMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    const { messageId } = await transport.sendMail({
      ...mail,
      envelope: { from: mail.from.address, to: mail.to.map(({ address }) => address) },
    });
    return { messageId };
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    socket.destroy();
  }
}

/**
 * A password is sent only where it cannot be overheard: over a verified encrypted connection, or to this machine, whose mail
 * server has no certificate that could be verified.
 */
export function encryptionFor(remoteAddress: string, hasPassword: boolean) {
  const isThisMachine = /^(127\.|::1$|::ffff:127\.)/.test(remoteAddress);
  return isThisMachine ? { tls: { rejectUnauthorized: false } } : { requireTLS: hasPassword };
}
