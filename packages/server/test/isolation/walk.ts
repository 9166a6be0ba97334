import { Agent, type IncomingMessage, request } from 'node:http';
import type pg from 'pg';
import { isEventStream, type Operation, readOperations } from '../support/operations.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { type Column, marksIn, readColumns, readRows } from './fill.ts';
import { type MarkedWorkspace, openWorkspace } from './marked-workspace.ts';
import type { WalkRequest } from './requests.ts';

export interface Stage {
  service: TestApp;
  operations: Operation[];
  /** A connection of its own, past the service. */
  client: pg.Client;
  columns: Column[];
  /** The default workspace, which may see more of the installation than others. */
  first: MarkedWorkspace;
  second: MarkedWorkspace;
  /** Sends a request; in the walks this costs a fraction of `fetch`. */
  send: Send;
  stop(): Promise<void>;
}

export type Send = (
  address: string,
  options: { method?: string; headers: Record<string, string>; body?: string },
) => Promise<IncomingMessage>;

/** The service with two workspaces that nothing is stored in. */
export async function openStage(): Promise<Stage> {
  const service = await startTestApp();
  const client = await service.database.connect('test-isolation');
  const columns = await readColumns(client);
  const { rows } = await client.query<{ id: string }>('select id from workspaces where is_default');
  const place = { service, client, columns };
  const first = await openWorkspace(place, { name: 'first', id: rows[0]?.id ?? '' });
  const { id } = await service.makeWorkspace();
  const agent = new Agent({ keepAlive: true });
  const second = await openWorkspace(place, { name: 'second', id });
  return {
    ...place,
    first,
    second,
    operations: await readOperations(service),
    send: (address, { body, ...options }) =>
      new Promise((resolve, reject) => {
        request(service.url + address, { ...options, agent })
          .once('response', resolve)
          .once('error', reject)
          .end(body);
      }),
    async stop() {
      agent.destroy();
      await client.end();
      await service.stop();
    },
  };
}

/** What must not be seen by others: every mark, every id, every credential of a workspace. */
export interface Forbidden {
  /** Those that occur in a text. */
  in(text: string): string[];
}

const uuids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

export async function forbiddenOf(
  { client, columns }: Stage,
  workspace: MarkedWorkspace,
): Promise<Forbidden> {
  const rows = [...(await readRows(client, columns, workspace.id)).values()].flat();
  const ids = new Set([...rows.join('\n').matchAll(uuids)].map(([id]) => id));
  for (const id of Object.values(workspace.ids).flat()) if (id.length === 36) ids.add(id);
  // Nodes belong to the installation.
  const nodes = await client.query<{ id: string }>('select id from nodes');
  for (const { id } of nodes.rows) ids.delete(id);
  return {
    in: (text) => [
      ...marksIn(text, workspace.name),
      ...(text.match(uuids) ?? []).filter((id) => ids.has(id)),
      ...workspace.secrets.filter((secret) => text.includes(secret)),
    ],
  };
}

export interface WalkAnswer {
  status: number;
  /** Headers and body. */
  text: string;
  /** The address of the next page. */
  next: string | undefined;
}

/** Sends a request and reads all of its answer; of a stream, all that is stored. */
export async function read(send: Send, { operation, address, caller }: WalkRequest): Promise<WalkAnswer> {
  const answer = await send(address, {
    headers: { ...(caller.key && { authorization: `Bearer ${caller.key}` }), ...caller.headers },
  });
  const status = answer.statusCode ?? 0;
  const isOpen = status < 300 && isEventStream(operation) && operation.method === 'GET';
  const body = await textOf(answer, isOpen ? 'event: turn.completed' : undefined);
  const { 'x-request-id': _requestId, date: _date, ...headers } = answer.headers;
  const link = /<([^>]+)>; rel="next"/.exec(String(headers['link'] ?? ''))?.[1];
  return {
    status,
    text: `${JSON.stringify(headers)}\n${body}`,
    next: link && (link.startsWith('http') ? link.slice(new URL(link).origin.length) : link),
  };
}

/** The body of an answer; of a stream, up to its last event that is stored. */
export async function textOf(answer: IncomingMessage, last?: string): Promise<string> {
  let text = '';
  for await (const piece of answer.setEncoding('utf8')) {
    text += piece;
    if (last !== undefined && text.includes(last)) break;
  }
  return text;
}

/** A few requests at a time. */
export async function forEachOf<Item>(items: readonly Item[], work: (item: Item) => Promise<void>) {
  const remaining = items.values();
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const item of remaining) await work(item);
    }),
  );
}
