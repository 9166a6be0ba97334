import { expect } from 'vitest';
import type { Connection } from '../../../src/database/database.ts';
import { createKeyRing } from '../../../src/secrets/key-ring.ts';
import {
  makeDataDirectory,
  type ServiceProcess,
  startServiceProcess,
  stopLeftBehind,
} from '../service-process.ts';
import { type Answer, createCall } from '../test-app.ts';
import type { TestDatabase } from '../test-database.ts';
import { startNode, type TestNode } from '../test-node.ts';
import { embeddedConnection } from './locks.ts';
import { type ReadEvent, readStream, type StreamReader } from './reader.ts';
import { until } from './until.ts';
import type { ClientView } from './view.ts';

export const key = `svc_sk_${'F'.repeat(43)}`;

/** What tests need of a service that is not killed, in a process of its own or in this one. */
export type Reachable = Pick<ServiceProcess, 'url' | 'call' | 'output'>;

export interface Fleet {
  /** Starts a service and waits until it is ready. Without DATABASE_URL it runs on the fleet's data directory. */
  start(environment: Record<string, string>): Promise<ServiceProcess>;
  /** Starts a node in this process, for tests that do not kill it. */
  startHere(store: TestDatabase, environment: Record<string, string>): Promise<Reachable>;
  /** The data directory, created on first use. */
  dataDirectory(): Promise<string>;
  /** How to reach the embedded PostgreSQL of the data directory. */
  connection(): Promise<Connection>;
  /** Ends every process and connection, even after a failure, and removes the data directory. */
  end(): Promise<void>;
  /** A conversation's stream, applied to a view; resumes after the view's last event. */
  follow(service: Reachable, conversationId: string, view: ClientView): StreamReader;
  send(service: Reachable, body: SendBody): StreamReader;
}

export interface SendBody {
  message: string;
  bot_id?: string;
  conversation_id?: string;
  new_conversation?: boolean;
}

/** The processes, readers and data directory of one test; it can be used again after `end`. */
export function createFleet(): Fleet {
  let data: ReturnType<typeof makeDataDirectory> | undefined;
  const services: ServiceProcess[] = [];
  const nodes: TestNode[] = [];
  const readers: StreamReader[] = [];
  const keep = (reader: StreamReader) => {
    readers.push(reader);
    return reader;
  };
  const dataDirectory = async () => {
    data ??= makeDataDirectory();
    return (await data).path;
  };
  return {
    dataDirectory,
    connection: async () => embeddedConnection(await dataDirectory()),
    async start(environment) {
      const database = environment['DATABASE_URL'] ? {} : { SVC_DATA_DIR: await dataDirectory() };
      const service = await startServiceProcess({
        ...database,
        SVC_BOOTSTRAP_KEY: key,
        SVC_LOG_LEVEL: 'warn',
        SVC_DEFAULT_MODEL: 'openai/scripted',
        ...environment,
      });
      services.push(service);
      await service.ready();
      return service;
    },
    async startHere({ database, encryptionKey }, environment) {
      const node = await startNode({
        database,
        keyRing: createKeyRing(encryptionKey),
        environment: { SVC_BOOTSTRAP_KEY: key, SVC_DEFAULT_MODEL: 'openai/scripted', ...environment },
      });
      nodes.push(node);
      return {
        url: node.url,
        call: (ownKey) => createCall(node.url, ownKey),
        output: () => node.logged.join(''),
      };
    },
    async end() {
      for (const reader of readers.splice(0)) reader.destroy();
      for (const node of nodes.splice(0)) await node.stop(0);
      // SIGKILL ends even a process that is stopped.
      for (const service of services.splice(0)) await service.end('SIGKILL');
      const directory = await data;
      data = undefined;
      if (!directory) return;
      await stopLeftBehind(directory.path);
      await directory.remove();
    },
    follow: (service, conversationId, view) =>
      keep(
        readStream(service.url, {
          key,
          operation: `GET /api/v1/chat/stream?conversation_id=${conversationId}`,
          lastEventId: view.lastId() ?? 0,
          onEvent: (event) => view.apply(event),
        }),
      ),
    send: (service, body) =>
      keep(
        readStream(service.url, {
          key,
          operation: 'POST /api/v1/chat/send-stream',
          body: { external_user_id: 'u', ...body },
        }),
      ),
  };
}

export async function makeBot(service: Reachable): Promise<string> {
  const created = await service.call(key)('POST /api/v1/bots', {
    body: { name: 'Durable', system_prompt: 'Continue.' },
  });
  expect(created, service.output()).toMatchObject({ status: 201 });
  return created.body.id;
}

/** Waits for the turn to start and returns its conversation. */
export async function conversationOf(stream: StreamReader): Promise<string> {
  const started = () => stream.events[0]?.event === 'turn.started';
  await until('a turn starts', started, { detail: () => stream.body() });
  return stream.events[0]?.data.conversation_id;
}

/** Everything that the API returns about a conversation. */
export async function readStored(service: Reachable, conversationId: string) {
  const call = service.call(key);
  const get = async (path: string) => {
    const answer: Answer = await call(`GET ${path}`);
    expect(answer, path).toMatchObject({ status: 200 });
    return answer.body;
  };
  const conversation = await get(`/api/v1/conversations/${conversationId}`);
  const log = await get(`/api/v1/chat/events?conversation_id=${conversationId}&after=0`);
  return {
    status: conversation.status as string,
    messageCount: conversation.message_count as number,
    messages: conversation.messages as { id: string; role: string; content: string; interrupted: boolean }[],
    events: log.map(({ id, event, data }: ReadEvent) => ({ id, event, data })) as ReadEvent[],
    stats: await get(`/api/v1/chat/stats?conversation_id=${conversationId}`),
  };
}

export type Stored = Awaited<ReturnType<typeof readStored>>;

/** All turns completed: the log has no gaps or duplicates, and the messages match their events. */
export function expectWhole(stored: Stored, turns: number, inputTokens = turns * 10): void {
  const { events, messages } = stored;
  expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
  const oneTurn = ['turn.started', 'message.completed', 'turn.completed'];
  expect(events.map(({ event }) => event)).toEqual(Array.from({ length: turns }, () => oneTurn).flat());
  expect(messages.map(({ role }) => role)).toEqual(
    Array.from({ length: turns }, () => ['user', 'assistant']).flat(),
  );
  const announced = events.flatMap(({ event, data }) => {
    if (event === 'turn.started') return [data.user_message];
    return event === 'message.completed' ? [data.message] : [];
  });
  expect(announced).toEqual(messages);
  expect(stored).toMatchObject({ status: 'idle', messageCount: turns * 2 });
  // The scripted model counts ten input tokens per request: none was paid for twice.
  expect(stored.stats).toMatchObject({ turns, messages: turns * 2, input_tokens: inputTokens });
}
