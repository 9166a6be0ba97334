import type { LiveMessage, LiveRequest } from '@svc/contract/live';
import { WebSocket } from 'ws';
import { eventually } from '../../support/chat.ts';
import type { Member } from '../../support/members.ts';

export interface LiveClient {
  socket: WebSocket;
  received: LiveMessage[];
  /** The code with which the connection was closed; undefined while it is open. */
  closed(): number | undefined;
  send(request: LiveRequest | string): void;
  /** Waits for a message with these fields and returns it. */
  next(wanted: Record<string, unknown>): Promise<Record<string, never>>;
}

/** Connects as the console of a member does. Resolves after `hello`. */
export async function openLive(
  url: string,
  member: Pick<Member, 'cookie' | 'workspaceId'>,
): Promise<LiveClient> {
  const client = connectLive(url, member);
  await client.next({ type: 'hello' });
  return client;
}

export function connectLive(
  url: string,
  { cookie, workspaceId }: Pick<Member, 'cookie' | 'workspaceId'>,
  headers: Record<string, string> = {},
): LiveClient {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/console/live?workspace=${workspaceId}`, {
    headers: { cookie, origin: url, ...headers },
  });
  const received: LiveMessage[] = [];
  let closed: number | undefined;
  socket.on('message', (data: Buffer) => received.push(JSON.parse(data.toString()) as LiveMessage));
  socket.on('close', (code) => {
    closed = code;
  });
  socket.on('error', () => undefined);
  const find = (wanted: Record<string, unknown>) =>
    received.find((message) => {
      const fields = message as unknown as Record<string, unknown>;
      return Object.entries(wanted).every(([name, value]) => fields[name] === value);
    });
  return {
    socket,
    received,
    closed: () => closed,
    send: (request) => socket.send(typeof request === 'string' ? request : JSON.stringify(request)),
    async next(wanted) {
      const seen = () => find(wanted) ?? `closed with ${closed}, received ${JSON.stringify(received)}`;
      await eventually(seen).toBeTypeOf('object');
      return find(wanted) as unknown as Record<string, never>;
    },
  };
}

/** The status with which a connection is refused. */
export function refusalOf(client: LiveClient): Promise<number | undefined> {
  return new Promise((resolve) => {
    client.socket.on('unexpected-response', (_request, response) => resolve(response.statusCode));
    client.socket.on('open', () => resolve(undefined));
  });
}
