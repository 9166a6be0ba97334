import { Client } from 'pg';
import type { EmbeddedContext } from './context.ts';
import { errorCode } from './error-code.ts';
import { findServerAddress, type ServerAddress } from './server-address.ts';

export interface ReadyServer {
  state: 'ready';
  client: Client;
  address: ServerAddress;
  /** Resolves when the connection is gone, for whatever reason. */
  gone: Promise<void>;
}

type ConnectionAttempt =
  | ReadyServer
  /** It starts, recovers or stops: ask again. */
  | { state: 'changing' }
  | { state: 'absent' };

const absentCodes = ['ENOENT', 'ECONNREFUSED'];
// The server stops, crashed or starts; it is full; the system cut the connection.
const changingCodes = ['57P01', '57P02', '57P03', '53300', 'ECONNRESET', 'EPIPE', 'EAGAIN'];

/** Connects to the maintenance database, so that a connection that stays open is in nobody's way. */
export async function attemptConnection(
  context: EmbeddedContext,
  applicationName: string,
): Promise<ConnectionAttempt> {
  const address = await findServerAddress(context);
  if (address === undefined) return { state: 'absent' };
  const client = new Client({
    ...address,
    database: 'postgres',
    application_name: applicationName,
    connectionTimeoutMillis: 10_000,
    options: '-c idle_session_timeout=0',
  });
  // Without a listener a lost connection would end the process; `gone` and each query tell of it.
  client.on('error', () => undefined);
  const gone = new Promise<void>((resolve) => client.once('end', () => resolve()));
  try {
    await client.connect();
    return { state: 'ready', client, address, gone };
  } catch (error) {
    if (absentCodes.includes(errorCode(error) ?? '')) return { state: 'absent' };
    if (isConnectionLoss(error)) return { state: 'changing' };
    throw new Error(`The embedded PostgreSQL cannot be reached: ${String(error)}`, { cause: error });
  }
}

export function isConnectionLoss(error: unknown): boolean {
  const code = errorCode(error);
  if (code !== undefined) return changingCodes.includes(code);
  // The driver gives these no code.
  const message = error instanceof Error ? error.message : '';
  return /terminated|timeout|not queryable/.test(message);
}
