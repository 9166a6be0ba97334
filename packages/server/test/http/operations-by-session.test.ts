import { randomUUID } from 'node:crypto';
import { type Role, roles } from '@svc/contract/roles';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Member, makeMember } from '../support/members.ts';
import { exampleOf, fillIds, type Operation, readOperations } from '../support/operations.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { resourcesOf } from './resources.ts';
import { consoleOptions, isOfConsole } from './session.ts';

/**
 * What must be true of every operation that people can call from the console: those of the console, and those that take an account
 * key. No request does anything: each has an Idempotency-Key that another request has used or that has no effect, which is reported
 * once the caller is let in.
 */
let service: TestApp;
let operations: Operation[];
let byRole: Record<Role, Member>;
let stranger: Member;
const batchSize = 8;
const used: Record<string, string> = { 'idempotency-key': randomUUID() };

beforeAll(async () => {
  service = await startTestApp();
  operations = await readOperations(service);
  const [viewer, operator, owner] = [
    await makeMember(service, { role: 'viewer' }),
    await makeMember(service, { role: 'operator' }),
    await makeMember(service, { role: 'owner' }),
  ];
  byRole = { viewer, operator, owner };
  const { id } = await service.makeWorkspace();
  stranger = await makeMember(service, { role: 'owner', workspaceId: id });
  const body = { name: 'Once', system_prompt: 'x' };
  expect((await service.call('POST /api/v1/bots', { body, headers: used })).status).toBe(201);
});
afterAll(() => service.stop());

const ofMembers = () => operations.filter(({ role }) => role !== undefined);

/** `undefined` removes a header that the console sends. */
function send(operation: Operation, member: Member | null, change: Record<string, string | undefined> = {}) {
  const ids = resourcesOf(operation).map((resource) => (resource === 'versions' ? '1' : randomUUID()));
  const { headers } = consoleOptions(operation, service.url, member);
  const sent = Object.entries({ ...headers, ...used, ...change }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const body = operation.name === 'POST /api/v1/bots' ? { name: 'Twice' } : exampleOf(operation);
  return service.call(`${operation.method} ${fillIds(operation, ids)}`, {
    key: null,
    headers: Object.fromEntries(sent),
    ...(body !== undefined && { body }),
  });
}

const forbidden = { status: 403, body: { code: 'FORBIDDEN' } };

/** A few at a time. */
async function forEach(list: Operation[], check: (operation: Operation, index: number) => Promise<void>) {
  for (let start = 0; start < list.length; start += batchSize)
    await Promise.all(
      list.slice(start, start + batchSize).map((operation, index) => check(operation, start + index)),
    );
}

describe('every operation that people can call', () => {
  it('lets in members with its role, and names the role to those below', async () => {
    await forEach(ofMembers(), async (operation) => {
      const needed = operation.role ?? 'owner';
      const allowed = await send(operation, byRole[needed]);
      expect.soft([400, 409], `${operation.name} as ${needed}`).toContain(allowed.status);
      expect.soft(JSON.stringify(allowed.body), `${operation.name} as ${needed}`).toMatch(/idempotency/i);
      const below = roles[roles.indexOf(needed) - 1];
      if (!below) return;
      const answer = await send(operation, byRole[below]);
      expect.soft(answer, `${operation.name} as ${below}`).toMatchObject(forbidden);
      expect.soft(answer.body.details, `${operation.name} as ${below}`).toEqual([{ role: needed }]);
    });
  });

  it('refuses a session of another workspace', async () => {
    const answers = new Set<string>();
    const home = byRole.owner.workspaceId;
    await forEach(ofMembers(), async (operation) => {
      const answer = await send(operation, stranger, { 'x-svc-workspace': home });
      expect.soft(answer, operation.name).toMatchObject(forbidden);
      answers.add(answer.body.message);
    });
    const [first] = ofMembers();
    for (const workspace of [randomUUID(), 'not-an-id']) {
      const answer = await send(first as Operation, stranger, { 'x-svc-workspace': workspace });
      expect(answer).toMatchObject(forbidden);
      answers.add(answer.body.message);
    }
    expect([...answers]).toEqual(['You are not a member of this workspace.']);
    const nowhere = await send(first as Operation, stranger, { 'x-svc-workspace': undefined });
    expect(nowhere).toMatchObject({ status: 400, body: { details: [{ path: 'x-svc-workspace' }] } });
  });

  it('is refused to pages of other sites, which browsers send the cookie with', async () => {
    const ofOthers = [
      { origin: 'https://evil.example.com' },
      { origin: 'null' },
      { origin: undefined, 'sec-fetch-site': 'cross-site' },
      { origin: undefined, 'sec-fetch-site': 'same-site' },
    ];
    // A page of ours can add a header, and a form cannot.
    const ofForms = [{ origin: undefined }, { 'x-svc-workspace': undefined, 'x-svc-console': undefined }];
    const guarded = operations.filter((one) => isOfConsole(one) || one.role !== undefined);
    const seen = new Set<string>();
    await forEach(guarded, async (operation, index) => {
      const ways = operation.method === 'GET' ? ofOthers : [...ofForms, ...ofOthers];
      // Every way once for each kind of operation, and one of them for every operation.
      const kind = `${operation.scheme} ${operation.method}`;
      const tried = seen.has(kind) ? [ways[index % ways.length]] : ways;
      seen.add(kind);
      for (const change of tried) {
        const answer = await send(operation, byRole.owner, change);
        const name = `${operation.name} with ${JSON.stringify(change)}`;
        expect.soft(answer, name).toMatchObject(forbidden);
        expect.soft(answer.headers.get('access-control-allow-credentials'), name).toBeNull();
      }
    });
  });

  it('under /api/console needs a session, unless it is a way to get one', () => {
    const open = operations.filter(
      ({ path, scheme }) => path.startsWith('/api/console') && scheme === 'none',
    );
    expect(open.map((operation) => operation.id)).toEqual([
      'getConsoleSession',
      'signIn',
      'signOut',
      'setUpConsole',
      'resetPassword',
      'findInvitation',
      'confirmInvitation',
      'acceptInvitation',
    ]);
    const others = operations.filter(
      ({ path, scheme }) => !path.startsWith('/api/console') && scheme === 'session',
    );
    expect(others).toEqual([]);
  });

  it('lets only owners delete for good', async () => {
    const ofOwners = operations.filter(({ method, role }) => method === 'DELETE' && role === 'owner');
    expect(ofOwners.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['deleteConversation', 'eraseEndUser', 'revokeKey']),
    );
    // What happens to a source depends on the query.
    const source = `DELETE /api/v1/knowledge/${randomUUID()}`;
    const { operator, owner } = byRole;
    expect(await operator.call(`${source}?type=hard`)).toMatchObject({
      ...forbidden,
      body: { details: [{ role: 'owner' }] },
    });
    const answers = [await operator.call(source), await owner.call(`${source}?type=hard`)];
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
  });

  it('issues tokens of end users to account keys only, and lets no member type for them', async () => {
    const keysOnly = operations.filter(({ scheme, role }) => scheme === 'account_key' && role === undefined);
    expect(keysOnly.map(({ id }) => id)).toEqual(['reportTyping', 'rateMessage', 'createEndUserToken']);
    for (const operation of keysOnly)
      expect(await send(operation, byRole.owner)).toMatchObject({
        ...forbidden,
        body: { message: 'This needs an account key.' },
      });
  });
});
