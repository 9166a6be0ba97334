import { randomUUID } from 'node:crypto';
import { abilities } from '@svc/contract/abilities';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Member, makeMember } from '../support/members.ts';
import {
  exampleOf,
  fillIds,
  fillPath,
  isEventStream,
  type Operation,
  pathResources,
  queryResources,
  readOperations,
} from '../support/operations.ts';
import { sampleOf } from '../support/sample.ts';
import { type Answer, type CallOptions, startTestApp, type TestApp } from '../support/test-app.ts';
import { unusedProvider } from '../support/unused-provider.ts';
import { isWebSocket, repeatable, takesNamedFields, withoutRequestId } from './operation-traits.ts';
import {
  isOfWidgets,
  type OwnPage,
  openOwnPage,
  ownPageHeaders,
  pageOptions,
  withWidgetKey,
} from './own-page.ts';
import { createResources, resourcesOf } from './resources.ts';
import { consoleOptions, isOfConsole } from './session.ts';

/**
 * What must be true of every operation in the OpenAPI document. A new operation is covered automatically, and fails
 * here until its resource and its security scheme are added to these tests.
 */
let service: TestApp;
let other: { id: string; key: string };
let operations: Operation[];
let machineKey: string;
let page: OwnPage;
let owner: Member;

beforeAll(async () => {
  service = await startTestApp({ environment: unusedProvider });
  other = await service.makeWorkspace();
  operations = await readOperations(service);
  machineKey = (await service.call('POST /api/v1/machines', { body: { name: 'desk' } })).body.token;
  page = await openOwnPage(service);
  owner = await makeMember(service, { role: 'owner' });
});
afterAll(() => service.stop());

interface SendOptions extends Omit<CallOptions, 'headOnly'> {
  /** In the query of the operations of widgets. */
  pageKey?: string | null;
  /** Calls the operations of the console; an owner of the default workspace if it is left out. */
  member?: Member | null;
}

function send(operation: Operation, ids: string[], options: SendOptions = {}) {
  const { pageKey = page.widgetKey, member = owner, ...given } = options;
  const filled = fillIds(operation, ids);
  const usual = isOfWidgets(operation)
    ? pageOptions(operation, page)
    : isOfConsole(operation)
      ? consoleOptions(operation, service.url, member)
      : {};
  const path = isOfWidgets(operation) && pageKey !== null ? withWidgetKey(filled, pageKey) : filled;
  return service.call(`${operation.method} ${path}`, {
    body: exampleOf(operation),
    headOnly: operation.method === 'GET' && isEventStream(operation),
    ...(operation.scheme === 'machine_key' && { key: machineKey }),
    ...usual,
    ...given,
    headers: { ...usual.headers, ...given.headers },
  });
}

const secured = () => operations.filter((operation) => operation.scheme !== 'none');
const ofAccounts = () => operations.filter((operation) => operation.scheme === 'account_key');
/** Those of a workspace, by a key or by a session. */
const ofWorkspaces = () =>
  operations.filter(({ scheme, role }) => scheme === 'account_key' || (scheme === 'session' && role));
const randomIds = (operation: Operation) => resourcesOf(operation).map(() => randomUUID());
/** The same ids, except that a number is used where one is expected. */
const wellFormedIds = (operation: Operation) =>
  resourcesOf(operation).map((resource) => (resource === 'versions' ? '1' : randomUUID()));

/** Every schema with a pattern. */
function* patternsIn(value: unknown): Generator<object> {
  if (typeof value !== 'object' || value === null) return;
  if ('pattern' in value && typeof value.pattern === 'string') yield value;
  for (const part of Object.values(value)) yield* patternsIn(part);
}

describe('every operation', () => {
  it('is listed with a summary, its errors and an example of its input', () => {
    expect(operations.length).toBeGreaterThan(10);
    for (const operation of operations) {
      expect.soft(operation.summary, operation.name).toBeTruthy();
      expect.soft(Object.keys(operation.responses), operation.name).toContain('500');
      if (!operation.body) continue;
      expect.soft(operation.body.example, `${operation.name}: example`).toBeDefined();
      expect.soft(operation.body.maxBytes, `${operation.name}: body limit`).toBeGreaterThan(0);
    }
  });

  it('says in words what each pattern of its input accepts', () => {
    for (const { name, parameters, body } of operations) {
      const silent = [...patternsIn([parameters, body?.schema])].filter((at) => !('x-expected' in at));
      expect.soft(silent, name).toEqual([]);
    }
  });

  it('declares a scheme that is tested here and an ability that exists', () => {
    for (const operation of operations) {
      const tested = ['none', 'account_key', 'session', 'machine_key', 'widget_key', 'visitor_token'];
      expect.soft(tested, operation.name).toContain(operation.scheme);
      if (operation.scheme === 'account_key')
        expect.soft(abilities, operation.name).toContain(operation.ability);
    }
  });

  it('under /api/v1 needs an account key', () => {
    const open = operations.filter(
      ({ path, scheme }) => path.startsWith('/api/v1') && scheme !== 'account_key',
    );
    expect(open.map((operation) => operation.name)).toEqual([]);
  });

  it('answers 401 without a key, with a wrong one, and with one of another kind', async () => {
    const wrongly = (operation: Operation, key: string | null) => [
      ...(operation.scheme === 'widget_key' ? [] : [{ operation, options: { key } }]),
      ...(isOfWidgets(operation) ? [{ operation, options: { pageKey: key } }] : []),
    ];
    const guesses = [
      'svc_sk_wrong',
      ...['svc_sk_', 'svc_mk_', 'svc_'].map((start) => start + 'x'.repeat(43)),
    ];
    const without = secured().flatMap((operation) => wrongly(operation, null));
    const wrong = secured().flatMap((operation) => {
      const ofAnotherKind = operation.scheme === 'machine_key' ? service.key : machineKey;
      return [...guesses, ofAnotherKind].flatMap((key) => wrongly(operation, key));
    });
    for (const { operation, options } of [...without, ...sampleOf(wrong, 3)]) {
      const answer = await send(operation, randomIds(operation), { ...options, member: null });
      expect.soft(answer, operation.name).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
    }
  });

  it('answers 403 to a key that lacks only its ability, and names it', async () => {
    const keys = new Map<string | undefined, Promise<string>>();
    const keyWithout = (lacking: string | undefined): Promise<string> => {
      const rest = abilities.filter((ability) => ability !== lacking);
      const key = keys.get(lacking) ?? service.makeKey({ abilities: rest });
      keys.set(lacking, key);
      return key;
    };
    for (const operation of ofAccounts()) {
      const answer = await send(operation, randomIds(operation), {
        key: await keyWithout(operation.ability),
      });
      expect.soft(answer, operation.name).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
      expect.soft(answer.body.message, operation.name).toContain(operation.ability);
    }
  });

  it("answers the same 404 to another workspace's id, to a random one and to a malformed one", async () => {
    const isForeign = (one: Operation) => resourcesOf(one).some((resource) => resource !== 'end-users');
    const madeFor = reusing((operation) => createResources(service).makeFor(operation, other.key, other.id));
    for (const operation of secured().filter(isForeign)) {
      const theirs = await madeFor(operation);
      const answers = [await send(operation, theirs), await send(operation, randomIds(operation))];
      if (operation.path.includes('{')) {
        answers.push(
          await send(operation, [...pathResources(operation.path).map(() => 'not-an-id'), ...theirs]),
        );
      }
      for (const { status, body } of answers) {
        const { request_id: requestId, ...rest } = body;
        expect.soft(requestId, operation.name).toEqual(expect.any(String));
        expect.soft({ status, body: rest }, operation.name).toEqual({
          status: 404,
          body: { success: false, code: 'NOT_FOUND', message: expect.any(String) },
        });
        expect.soft(rest, operation.name).toEqual(answers[0]?.body && withoutRequestId(answers[0].body));
      }
    }
  });

  it("answers 404 if only one of several ids is another workspace's", async () => {
    const resources = createResources(service);
    for (const operation of secured().filter((one) => queryResources(one).length > 0)) {
      const names = resourcesOf(operation);
      if (names.length === 1) continue;
      const own = await resources.makeFor(operation, service.key, owner.workspaceId);
      const theirs = await resources.makeFor(operation, other.key, other.id);
      expect.soft((await send(operation, own)).status, operation.name).toBe(200);
      for (const [index, name] of names.entries()) {
        const { status } = await send(operation, own.with(index, theirs[index] ?? ''));
        expect.soft(status, `${operation.name} with another's ${name}`).toBe(404);
      }
    }
  });

  it("works with its own example on the caller's resource", async () => {
    const { key, id } = await service.makeWorkspace();
    const member = await makeMember(service, { role: 'owner', workspaceId: id });
    for (const operation of ofWorkspaces().filter((one) => !isWebSocket(one))) {
      const ids = await createResources(service).makeFor(operation, key, id);
      const headers = operation.method === 'POST' ? { 'idempotency-key': randomUUID() } : {};
      const caller = operation.scheme === 'session' ? { member } : { key };
      const answer = await send(operation, ids, { ...caller, headers });
      if (operation.method === 'GET') await expectHead(operation, ids, caller, answer);
      if (operation.method === 'POST') {
        const again = await send(operation, ids, { ...caller, headers });
        expect
          .soft({ status: again.status, body: repeatable(again.body) }, `${operation.name}: repeated`)
          .toEqual({ status: answer.status, body: repeatable(answer.body) });
      }
      const isUnknownReference =
        answer.status === 404 && JSON.stringify(operation.body?.example).includes('_id"');
      // This service has only the built-in model and no telephone network; discover.test.ts and voice/outbound.test.ts have both.
      const isNotSetUp =
        answer.body?.code === 'NO_MODEL_CONFIGURED' ||
        (answer.body?.code === 'VOICE_DISABLED' && operation.name === 'POST /api/v1/calls');
      // Only for the first workspace of an installation; console/insight-api.test.ts has it.
      const isForAnother = answer.status === 403 && operation.name === 'GET /api/console/system/figures';
      expect
        .soft(
          answer.status < 400 || isUnknownReference || isNotSetUp || isForAnother,
          `${operation.name}: ${answer.status}`,
        )
        .toBe(true);
      expect.soft(Object.keys(operation.responses), operation.name).toContain(String(answer.status));
    }
  });

  it('refuses a field it does not know, and names it', async () => {
    const madeFor = reusing((operation) =>
      createResources(service).makeFor(operation, service.key, owner.workspaceId),
    );
    for (const operation of secured().filter(takesNamedFields)) {
      const ids = await madeFor(operation);
      const body = { ...(operation.body?.example as object), surprise: true };
      const answer = await send(operation, ids, { body });
      expect.soft(answer, operation.name).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION_FAILED', details: [{ path: 'surprise', message: 'is not a known field' }] },
      });
    }
  });
});

describe('every path', () => {
  it('answers an unsupported method with 405 and the supported ones', async () => {
    const byPath = Map.groupBy(operations, ({ path }) => path);
    const requests = [...byPath].flatMap(([path, found]) => {
      const methods = found.map(({ method }) => method);
      const allowed = new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS']);
      return ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
        .filter((method) => method === 'OPTIONS' || !allowed.has(method))
        .map((method) => ({ method, path, allowed }));
    });
    for (const { method, path, allowed } of sampleOf(requests, 3)) {
      const address = fillPath(
        path,
        pathResources(path).map(() => randomUUID()),
      );
      const isRead = method === 'GET' || method === 'HEAD';
      const answer = await service.call(`${method} ${address}`, {
        key: null,
        ...(!isRead && { body: '{"broken' }),
      });
      const status = method === 'OPTIONS' ? 204 : 405;
      expect.soft(answer.status, `${method} ${path}`).toBe(status);
      expect.soft(new Set(answer.headers.get('allow')?.split(', ')), `${method} ${path}`).toEqual(allowed);
      expect.soft(answer.headers.get('x-request-id'), `${method} ${path}`).toBeTruthy();
      if (status === 405 && method !== 'HEAD') {
        expect.soft(answer.body, `${method} ${path}`).toMatchObject({ code: 'METHOD_NOT_ALLOWED' });
      }
    }
  });
});

describe('an Idempotency-Key', () => {
  it('works on every POST with a key, and is refused everywhere else', async () => {
    const used = { 'idempotency-key': randomUUID() };
    const body = { name: 'Once', system_prompt: 'x' };
    expect((await service.call('POST /api/v1/bots', { body, headers: used })).status).toBe(201);
    // The keys of an end user are their own.
    const written = await service.call(`POST /api/widget/messages?key=${page.widgetKey}`, {
      key: page.visitorToken,
      body: { message: 'Once' },
      headers: { ...ownPageHeaders, ...used },
    });
    expect(written.status).toBe(200);
    for (const operation of operations) {
      const { name, method, scheme, parameters } = operation;
      // A repeated request for a visitor token makes a visitor that does nothing. Records belong to a workspace.
      const isOfPerson = scheme === 'session' && operation.role === undefined;
      const works = method === 'POST' && !['none', 'widget_key'].includes(scheme) && !isOfPerson;
      const isShown = parameters.some((one) => one.in === 'header' && one.name === 'idempotency-key');
      expect.soft(isShown, `${name}: shown`).toBe(works);
      // The key belongs to another request, which any operation that checks it reports before it does anything.
      const isFirst = name === 'POST /api/v1/bots';
      const sent = isFirst ? { body: { ...body, name: 'Twice' } } : {};
      const answer = await send(operation, wellFormedIds(operation), { headers: used, ...sent });
      expect
        .soft(answer, name)
        .toMatchObject(
          works
            ? { status: 409, body: { code: 'IDEMPOTENCY_MISMATCH' } }
            : { status: 400, body: { code: 'VALIDATION_FAILED', details: [{ path: 'idempotency-key' }] } },
        );
    }
  });
});

/** Makes the resources of a path once, for all operations that only refuse what they are sent about them. */
function reusing(make: (operation: Operation) => Promise<string[]>) {
  const made = new Map<string, Promise<string[]>>();
  return (operation: Operation): Promise<string[]> => {
    const resources = resourcesOf(operation).join();
    const ids = made.get(resources) ?? make(operation);
    made.set(resources, ids);
    return ids;
  };
}

/** The same head as that of GET, without a body. */
async function expectHead(
  operation: Operation,
  ids: string[],
  caller: SendOptions,
  got: Answer,
): Promise<void> {
  const head = await send({ ...operation, method: 'HEAD' }, ids, caller);
  expect.soft(head, `HEAD ${operation.path}`).toMatchObject({ status: got.status, body: '' });
  expect
    .soft(head.headers.get('content-type'), `HEAD ${operation.path}`)
    .toBe(got.headers.get('content-type'));
  if (got.headers.has('content-length')) {
    expect.soft(Number(head.headers.get('content-length')), `HEAD ${operation.path}`).toBeGreaterThan(0);
  }
}
