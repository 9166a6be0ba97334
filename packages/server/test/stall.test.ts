import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { text } from './scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from './scripted-model/server.ts';
import { scriptedEnvironment } from './support/chat.ts';
import { type CostlyBody, costlyBodies, costlyForms, costlyQueries } from './support/costly-bodies.ts';
import { fillIds, type JsonSchema, type Operation, readOperations } from './support/operations.ts';
import { createResources, type Resources } from './support/resources.ts';
import { type ServiceProcess, startServiceProcess } from './support/service-process.ts';
import { createTestDatabase, type TestDatabase } from './support/test-database.ts';

/**
 * Nothing that a caller sends may hold up the event loop: everybody else waits, and a node that stands still for longer
 * than a lease loses its turns. Every operation gets the costliest bodies that its limits allow, and the service itself,
 * a process of its own, says how long its loop stood still.
 */
type Body = NonNullable<Operation['body']>;

const longestMs = 200;
const key = `svc_sk_${'S'.repeat(43)}`;
let store: TestDatabase;
let scripted: ScriptedModel;
let service: ServiceProcess;
let resources: Resources;
let operations: Operation[];

beforeAll(async () => {
  store = await createTestDatabase();
  scripted = await startScriptedModel({ record: false });
  scripted.respondWith([text('Fine.')]);
  service = await startServiceProcess(
    {
      ...scriptedEnvironment(scripted),
      ...store.environment,
      SVC_BOOTSTRAP_KEY: key,
      SVC_LOG_LEVEL: 'error',
      SVC_EMBEDDING_MODEL: 'openai/text-embedding-3-small',
    },
    { preload: resolve(import.meta.dirname, 'support/loop-probe.mjs') },
  );
  await service.ready();
  const { database, encryptionKey } = store;
  resources = createResources({ url: service.url, database, encryptionKey });
  operations = await readOperations(service);
});
afterAll(async () => {
  await service.end('SIGKILL');
  await scripted.close();
  await store.drop();
});

/** For how long the loop was held up since this was last asked, in processor time. */
async function longestStall(): Promise<number> {
  service.child.send('tell');
  const [told] = (await once(service.child, 'message')) as [{ longestMs: number }];
  return told.longestMs;
}

interface Request extends CostlyBody {
  /** `POST /api/v1/bots` */
  target: string;
}

async function send({ target, name, text: body, type }: Request): Promise<void> {
  const [method = '', path = ''] = target.split(' ');
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
      ...(type && { 'content-type': type }),
    },
    ...(body !== undefined && { body }),
  });
  // A stream that stays open has said all that matters here.
  if (method === 'GET' && response.headers.get('content-type')?.startsWith('text/event-stream')) {
    await response.body?.cancel();
  } else await response.arrayBuffer();
  if ([401, 403, 413, 429].includes(response.status)) {
    throw new Error(`${target}: ${name} was not even looked at (${response.status}).`);
  }
}

/** Those requests that hold up the loop each time that they are sent, found by halving. */
async function stalls(requests: readonly Request[]): Promise<string[]> {
  const measured: number[] = [];
  while (measured.length < 3) {
    await longestStall();
    for (const request of requests) await send(request);
    measured.push(await longestStall());
    if (Math.min(...measured) <= longestMs) return [];
  }
  const [only] = requests;
  if (only && requests.length === 1) {
    return [`${only.target}, ${only.name}: ${Math.round(Math.min(...measured))} ms`];
  }
  const half = requests.length >> 1;
  return [...(await stalls(requests.slice(0, half))), ...(await stalls(requests.slice(half)))];
}

describe('the event loop is not held up', { timeout: 600_000 }, () => {
  it('by any body of any operation', async () => {
    const workspaceId = await defaultWorkspaceId();
    const taking = operations.filter(({ body }) => body !== undefined);
    expect(taking.length).toBeGreaterThan(20);
    const found: string[] = [];
    for (const operation of taking) {
      if (!operation.body) continue;
      const target = `${operation.method} ${fillIds(operation, await resources.makeFor(operation, key, workspaceId))}`;
      for (const body of await kindsOf(operation, operation.body)) {
        const requests = costlyBodies(body).map((costly) => ({ ...costly, target }));
        found.push(...(await stalls([...requests])));
      }
    }
    expect(found).toEqual([]);
  });

  it('by any form', async () => {
    const taking = operations.filter(({ forms }) => forms.length > 0);
    const found: string[] = [];
    for (const operation of taking) {
      for (const form of operation.forms) {
        const target = `${operation.method} ${operation.path}`;
        found.push(...(await stalls(costlyForms(form).map((body) => ({ ...body, target })))));
      }
    }
    expect(found).toEqual([]);
  });

  it('by any query', async () => {
    const workspaceId = await defaultWorkspaceId();
    const found: string[] = [];
    for (const operation of operations.filter(({ method }) => method === 'GET')) {
      if (operation.scheme === 'none') continue;
      const target = `GET ${fillIds(operation, await resources.makeFor(operation, key, workspaceId))}`;
      const start = `${target}${target.includes('?') ? '&' : '?'}`;
      const requests = costlyQueries(operation).map((query) => ({
        target: start + query,
        name: 'its query',
      }));
      found.push(...(await stalls(requests)));
    }
    expect(found).toEqual([]);
  });

  it('by a body for what is not there, from somebody without a key', async () => {
    const body = JSON.stringify({ ['k'.repeat(200_000)]: Array(400_000).fill(0) });
    const costly = { name: 'zeros under a long key', text: body, type: 'application/json' };
    const targets = ['POST /nowhere', 'POST /api/v1/nothing'];
    expect(await stalls(targets.map((target) => ({ ...costly, target })))).toEqual([]);
  });
});

/** What a tool takes depends on its type: every one is tried, as its presets show it. */
async function kindsOf(operation: Operation, body: Body): Promise<Body[]> {
  if (operation.name !== 'POST /api/v1/tools') return [body];
  const catalog = (await service.call(key)('GET /api/v1/tools/catalog')).body as {
    tool_type: string;
    configuration_schema: JsonSchema;
    presets: { configuration: object }[];
  }[];
  return catalog.map(({ tool_type, configuration_schema: configuration, presets }) => ({
    ...body,
    schema: { ...body.schema, properties: { ...body.schema.properties, configuration } },
    example: { ...(body.example as object), tool_type, configuration: presets[0]?.configuration ?? {} },
  }));
}

async function defaultWorkspaceId(): Promise<string> {
  const answer = await service.call(key)('POST /api/v1/bots', { body: { name: 'x', system_prompt: 'x' } });
  return (await service.call(key)(`GET /api/v1/bots/${answer.body.id}`)).body.tenant_id;
}
