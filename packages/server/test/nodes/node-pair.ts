import { expect } from 'vitest';
import type { KeyRing } from '../../src/secrets/key-ring.ts';
import { eventually } from '../support/chat.ts';
import { type ReadEvent, readStream, type StreamReader } from '../support/faults/reader.ts';
import { type ClientView, createClientView } from '../support/faults/view.ts';
import { type HandPlayedModel, startHandPlayedModel } from '../support/hand-played-model.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { startNode, type TestNode } from '../support/test-node.ts';

type Place = Pick<TestNode, 'url' | 'key'>;

export interface Reading {
  stream: StreamReader;
  view: ClientView;
  /** The names of the events so far. */
  names(): string[];
}

export interface SendBody {
  message?: string;
  bot_id?: string;
  conversation_id?: string;
}

/** Two nodes on one database, and a model that the test plays. */
export interface NodePair {
  a: TestNode;
  b: TestNode;
  store: TestDatabase;
  model: HandPlayedModel;
  botId: string;
  follow(node: Place, conversationId: string, after?: number): Reading;
  send(node: Place, body?: SendBody, headers?: Record<string, string>): Reading;
  /** The reader has exactly the log and shows no preview, and nothing contradicted it on the way. */
  expectWhole(reading: Reading): Promise<void>;
  stop(): Promise<void>;
}

export interface NodePairOptions {
  /** Each node's own variables, such as REDIS_URL. */
  environments?: [a: Record<string, string>, b: Record<string, string>];
  /** By default, both have the same. */
  keyRings?: [a: KeyRing, b: KeyRing];
}

export async function startNodePair(options: NodePairOptions = {}): Promise<NodePair> {
  const { environments = [{}, {}], keyRings } = options;
  const store = await createTestDatabase();
  const model = await startHandPlayedModel();
  const readings: StreamReader[] = [];
  const start = (own: Record<string, string>, keyRing?: KeyRing) =>
    startNode({
      database: store.database,
      ...(keyRing && { keyRing }),
      environment: {
        OPENAI_BASE_URL: model.url('openai'),
        SVC_DEFAULT_MODEL: 'openai/played',
        SVC_EGRESS_ALLOW: '127.0.0.1',
        ...own,
      },
    });
  const a = await start(environments[0], keyRings?.[0]);
  const b = await start(environments[1], keyRings?.[1]);
  const created = await a.call('POST /api/v1/bots', { body: { name: 'Bot', system_prompt: 'x' } });
  expect(created).toMatchObject({ status: 201 });
  const botId: string = created.body.id;

  function read(place: Place, request: Omit<Parameters<typeof readStream>[1], 'key' | 'onEvent'>): Reading {
    const view = createClientView();
    const onEvent = (event: ReadEvent) => view.apply(event);
    const stream = readStream(place.url, { key: place.key, onEvent, ...request });
    readings.push(stream);
    return { stream, view, names: () => stream.events.map(({ event }) => event) };
  }

  return {
    a,
    b,
    store,
    model,
    botId,
    follow: (node, conversationId, after = 0) =>
      read(node, {
        operation: `GET /api/v1/chat/stream?conversation_id=${conversationId}`,
        lastEventId: after,
      }),
    send: (node, body = {}, headers = {}) =>
      read(node, {
        operation: 'POST /api/v1/chat/send-stream',
        body: {
          message: 'Hello',
          external_user_id: 'u',
          ...(body.conversation_id === undefined && { bot_id: botId, new_conversation: true }),
          ...body,
        },
        headers,
      }),
    async expectWhole(reading) {
      const { view } = reading;
      const id = await conversationOf(reading);
      const log = async () => (await a.call(`GET /api/v1/chat/events?conversation_id=${id}&after=0`)).body;
      const expected = (await log()).map(({ id: number, event, data }: ReadEvent) => ({
        id: number,
        event,
        data,
      }));
      await eventually(() => view.durable).toEqual(expected);
      expect(view.faults).toEqual([]);
      expect([...view.previews]).toEqual([]);
    },
    async stop() {
      for (const stream of readings) stream.destroy();
      await Promise.all([a.stop(0), b.stop(0)]);
      await model.close();
      await store.drop();
    },
  };
}

/** The conversation of a send, once its turn has started. */
export async function conversationOf({ stream }: Reading): Promise<string> {
  await eventually(() => stream.events.map(({ event }) => event)).toContain('turn.started');
  return stream.events.find(({ event }) => event === 'turn.started')?.data.conversation_id;
}

/** The text that the reader shows of its unfinished reply. */
export function shown({ view }: Reading): string {
  return [...view.previews.values()].join('|');
}
