import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { maxFrameBytes } from '@svc/contract/machine-protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OutsideServer, startOutsideServer } from '../egress/support.ts';
import { text } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { scriptedEnvironment } from '../support/chat.ts';
import { withCostlyPasswords } from '../support/cheap-passwords.ts';
import { readGithubDocument } from '../support/github-openapi.ts';
import { connectMachine } from '../support/machine-client.ts';
import { type Member, makeMember } from '../support/members.ts';
import { fillIds, type Operation, readOperations } from '../support/operations.ts';
import { sampleOf } from '../support/sample.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { type CostlyBody, costlyBodies, costlyForms, costlyQueries } from './costly-bodies.ts';
import { kindsOf } from './kinds-of-body.ts';
import { createOwnPages, type OwnPages, ownPageHeaders, withWidgetKey } from './own-page.ts';
import { createResources, type Resources } from './resources.ts';
import { consoleOptions, isOfConsole } from './session.ts';

/**
 * No request may block the event loop: all other requests would wait, and a node that is blocked for longer
 * than a lease loses its turns. A sample of the operations is sent the costliest bodies that their limits allow, and the
 * service, a separate process, reports how long its event loop was blocked.
 */
const longestMs = 200;
const key = `svc_sk_${'S'.repeat(43)}`;
let store: TestDatabase;
let scripted: ScriptedModel;
let service: ServiceProcess;
let resources: Resources;
let site: OutsideServer;
let operations: Operation[];
let pages: OwnPages;
let owner: Member;

beforeAll(async () => {
  store = await createTestDatabase();
  site = await startOutsideServer();
  scripted = await startScriptedModel({ record: false });
  scripted.respondWith([text('Fine.')]);
  service = await startServiceProcess(
    {
      ...scriptedEnvironment(scripted),
      ...store.environment,
      SVC_BOOTSTRAP_KEY: key,
      SVC_LOG_LEVEL: 'error',
      SVC_EMBEDDING_MODEL: 'openai/text-embedding-3-small',
      SVC_EGRESS_ALLOW: `127.0.0.1:${site.port}`,
      SVC_TRUSTED_PROXIES: '127.0.0.1',
    },
    { preload: resolve(import.meta.dirname, 'loop-probe.mjs') },
  );
  await service.ready();
  const { database, encryptionKey } = store;
  resources = createResources({ url: service.url, database, encryptionKey });
  operations = await readOperations(service);
  pages = createOwnPages(service.call(key));
  owner = await withCostlyPasswords(() => makeMember({ url: service.url, database }, { role: 'owner' }));
});
afterAll(async () => {
  await service.end('SIGKILL');
  await scripted.close();
  await site.close();
  await store.drop();
});

/** How long the event loop was blocked since the last call, in processor time. */
async function longestStall(): Promise<number> {
  service.child.send('tell');
  const [report] = (await once(service.child, 'message')) as [{ longestMs: number }];
  return report.longestMs;
}

interface Request extends CostlyBody {
  /** `POST /api/v1/bots` */
  target: string;
  /** By default, an account key. */
  key?: string;
  operation?: Operation;
}

async function send({ target, name, text: body, type, key: own = key, operation }: Request): Promise<void> {
  const [method = '', path = ''] = target.split(' ');
  const page = await pages.of(path);
  const issuesToken = path === '/api/widget/token';
  const isOfPeople = operation !== undefined && isOfConsole(operation);
  const takesKey = isOfPeople
    ? operation.parameters.some((one) => one.name === 'idempotency-key')
    : method === 'POST' && !issuesToken;
  const response = await fetch(service.url + (page ? withWidgetKey(path, page.widgetKey) : path), {
    method,
    headers: {
      ...(isOfPeople
        ? // Tokens and passwords may be tried only so often from one address.
          { ...consoleOptions(operation, service.url, owner).headers, 'x-forwarded-for': randomAddress() }
        : { authorization: `Bearer ${page?.visitorToken ?? own}` }),
      ...(page && ownPageHeaders),
      ...(takesKey && { 'idempotency-key': randomUUID() }),
      ...(type && { 'content-type': type }),
    },
    ...(body !== undefined && { body }),
  });
  // The rest of an open stream does not matter here.
  if (method === 'GET' && response.headers.get('content-type')?.startsWith('text/event-stream')) {
    await response.body?.cancel();
  } else await response.arrayBuffer();
  // The bodies of these can contain a token or a password, which is checked.
  if (issuesToken && response.status === 401) return;
  const isEntrance = isOfPeople && operation.scheme === 'none';
  if (isEntrance && [401, 429].includes(response.status)) return;
  if ([401, 403, 413, 429].includes(response.status)) {
    throw new Error(`${target}: ${name} was not even looked at (${response.status}).`);
  }
}

/** The minimum of several measurements; stops at the first one that is good enough. */
async function leastOf(attempts: number, enough: number, measure: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts && least >= enough; attempt += 1) {
    least = Math.min(least, await measure());
  }
  return least;
}

/** How long a draft blocked the event loop, while the service kept answering other requests. */
async function draftWhileAsking(body: string): Promise<number> {
  await longestStall();
  let isDone = false;
  const drafting = fetch(`${service.url}/api/v1/tools/discover`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json',
    },
    body,
  }).finally(() => {
    isDone = true;
  });
  let answered = 0;
  for (; !isDone; answered += 1) {
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    await delay(10);
  }
  const { tools } = (await (await drafting).json()) as { tools: { name: string }[] };
  expect(tools[0]?.name).toBe('issues_create');
  expect(answered).toBeGreaterThan(3);
  return longestStall();
}

/** The requests that block the event loop every time they are sent, found by bisection. */
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

describe('the event loop is not blocked', { timeout: 600_000 }, () => {
  it('by any body of any operation', async () => {
    const workspaceId = await defaultWorkspaceId();
    const taking = operations.filter(({ body }) => body !== undefined);
    expect(taking.length).toBeGreaterThan(20);
    const found: string[] = [];
    for (const operation of sampleOf(taking, 20)) {
      if (!operation.body) continue;
      const target = `${operation.method} ${fillIds(operation, await resources.makeFor(operation, key, workspaceId))}`;
      const [first, ...others] = await kindsOf(service.call(key), operation, operation.body);
      for (const body of [first, ...others]) {
        // The other types differ only in their configuration.
        const requests = costlyBodies(body)
          .filter(({ name }) => body === first || name.startsWith('configuration'))
          .map((costly) => ({ ...costly, target, operation }));
        found.push(...(await stalls([...requests])));
      }
      await deleteSources();
    }
    expect(found).toEqual([]);
  });

  it("by GitHub's document of 13 MB, filled up to 32 MB, sent or fetched", async () => {
    const github = readGithubDocument();
    const most = 32 * 1024 * 1024;
    const document = Buffer.concat([github, Buffer.alloc(most - github.length, ' ')]);
    site.answerWith((_request, response) => response.end(document));
    const goal = 'open an issue in a repository';
    const bodies = [
      { url: site.url, goal },
      { documentation: document.toString(), goal },
    ];
    for (const body of sampleOf(bodies, 2)) {
      const heldMs = await leastOf(3, 100, () => draftWhileAsking(JSON.stringify(body)));
      expect(heldMs, Object.keys(body).join()).toBeLessThan(100);
    }
  });

  it('by any form', async () => {
    const taking = operations.filter(({ forms }) => forms.length > 0);
    const found: string[] = [];
    for (const operation of taking) {
      for (const form of operation.forms) {
        const target = `${operation.method} ${operation.path}`;
        const bodies = sampleOf(costlyForms(form), 6);
        found.push(...(await stalls(bodies.map((body) => ({ ...body, target })))));
      }
    }
    expect(found).toEqual([]);
    expect(await deleteSources()).toBeGreaterThan(0);
  });

  it('by any query', async () => {
    const workspaceId = await defaultWorkspaceId();
    const found: string[] = [];
    const machineKey = await pairMachine();
    const asking = operations.filter(({ method, scheme }) => method === 'GET' && scheme !== 'none');
    for (const operation of sampleOf(asking, 15)) {
      const target = `GET ${fillIds(operation, await resources.makeFor(operation, key, workspaceId))}`;
      const start = `${target}${target.includes('?') ? '&' : '?'}`;
      const requests = costlyQueries(operation).map((query) => ({
        target: start + query,
        name: 'its query',
        operation,
        ...(operation.scheme === 'machine_key' && { key: machineKey }),
      }));
      found.push(...(await stalls(requests)));
    }
    expect(found).toEqual([]);
  });

  it('by any frame of a daemon', async () => {
    const fields = Array.from({ length: 19_000 }, (_, index) => [`${index} ${'k'.repeat(400)}`, '\0']);
    const result = (value: unknown) =>
      JSON.stringify({ type: 'result', id: randomUUID(), outcome: { status: 'ok', value } });
    const frames = {
      'many arrays': `[${'[],'.repeat(maxFrameBytes / 3 - 2)}[]]`,
      'deep nesting': '['.repeat(maxFrameBytes),
      'many fields': result(Object.fromEntries(fields)),
      'a long text of escapes': result('\n'.repeat(maxFrameBytes / 2 - 200)),
      'many empty texts': '""'.repeat(maxFrameBytes / 2),
      'quotes that are escaped': result('"\\'.repeat(maxFrameBytes / 4 - 200)),
    };
    const machineKey = await pairMachine();
    for (const [name, frame] of sampleOf(Object.entries(frames), 2)) {
      const stall = await leastOf(3, longestMs, async () => {
        const machine = await connectMachine(service.url, machineKey);
        await longestStall();
        machine.socket.send(frame);
        machine.socket.ping();
        await Promise.race([machine.closed, once(machine.socket, 'pong')]);
        const longest = await longestStall();
        machine.socket.terminate();
        return longest;
      });
      expect.soft(stall, name).toBeLessThanOrEqual(longestMs);
    }
  });

  it('by a body sent to an unknown path without a key', async () => {
    const body = JSON.stringify({ ['k'.repeat(200_000)]: Array(400_000).fill(0) });
    const costly = { name: 'zeros under a long key', text: body, type: 'application/json' };
    const targets = ['POST /nowhere', 'POST /api/v1/nothing'];
    expect(await stalls(targets.map((target) => ({ ...costly, target })))).toEqual([]);
  });
});

const randomAddress = () => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`;

async function pairMachine(): Promise<string> {
  const { body } = await service.call(key)('POST /api/v1/machines', { body: { name: 'desk' } });
  return body.token as string;
}

/** Ingesting the accepted sources would take minutes and disturb the next test. Returns how many there were. */
async function deleteSources(): Promise<number> {
  const call = service.call(key);
  let count = 0;
  for (;;) {
    const sources = (await call('GET /api/v1/knowledge')).body as { id: string }[];
    if (sources.length === 0) return count;
    for (const { id } of sources) {
      expect((await call(`DELETE /api/v1/knowledge/${id}`)).status).toBe(200);
      count += 1;
    }
  }
}

async function defaultWorkspaceId(): Promise<string> {
  const answer = await service.call(key)('POST /api/v1/bots', { body: { name: 'x', system_prompt: 'x' } });
  return (await service.call(key)(`GET /api/v1/bots/${answer.body.id}`)).body.tenant_id;
}
