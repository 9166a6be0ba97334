import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { createKeyCache } from '../../src/keys/key-cache.ts';
import { createKeyService } from '../../src/keys/keys.service.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createKeyRing } from '../../src/secrets/key-ring.ts';
import { createNumberAssignments } from '../../src/voice/numbers/number-assignments.ts';
import { createWorkspaceService } from '../../src/workspaces/workspaces.service.ts';
import { runCommand } from '../support/service-process.ts';
import { type Answer, createCall } from '../support/test-app.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { startNode, type TestNode } from '../support/test-node.ts';
import { type FakeTwilio, startFakeTwilio } from '../support/voice/fake-twilio.ts';

let store: TestDatabase;
let twilio: FakeTwilio;
let node: TestNode;
let first: Awaited<ReturnType<typeof ofWorkspace>>;
const entered = '+12025550101';
let whileAlone: Answer;
beforeAll(async () => {
  [store, twilio] = await Promise.all([createTestDatabase(), startFakeTwilio()]);
  const { database, encryptionKey } = store;
  node = await startNode({
    database,
    keyRing: createKeyRing(encryptionKey),
    environment: { ...twilio.environment, SVC_PUBLIC_URL: 'https://svc.example.com' },
  });
  first = await ofWorkspace(node.key);
  whileAlone = await first.create(owns(entered));
});
afterAll(async () => {
  await node.stop();
  await Promise.all([store.drop(), twilio.stop()]);
});

const svc = (...args: string[]) => runCommand(args, store.environment);
async function json(...args: string[]) {
  const result = await svc(...args, '--json');
  expect(result, result.stderr).toMatchObject({ code: 0 });
  return JSON.parse(result.stdout);
}

/** What `svc workspaces create` and `svc numbers assign` do. */
const workspaces = () => createWorkspaceService(store);
const makeWorkspace = (name: string) =>
  store.database.acrossWorkspaces.transaction(async (tx) => {
    const { id } = await workspaces().create(tx, name);
    const keys = createKeyService({ ...store, cache: createKeyCache(), clock: systemClock });
    return { id, key: (await keys.create(tx, { workspaceId: id, name: 'test', abilities: 'all' })).key };
  });
const assign = (phoneNumber: string, workspaceId: string) =>
  createNumberAssignments({ ...store, workspaces: workspaces() }).assign(phoneNumber, workspaceId);

function owns(phoneNumber: string): string {
  twilio.numbers.push({ phone_number: phoneNumber, capabilities: { voice: true } });
  return phoneNumber;
}

async function ofWorkspace(key: string) {
  const call = createCall(node.url, key);
  const body = { name: 'Phone', system_prompt: 'x' };
  const botId = (await call('POST /api/v1/bots', { body })).body.id;
  const create = (phone_number: string) =>
    call('POST /api/v1/voice/numbers', { body: { phone_number, bot_id: botId } });
  return { call, create };
}

describe('the numbers of an installation', () => {
  it('need no assignment while there is one workspace, and are kept apart from then on', async () => {
    expect(whileAlone, JSON.stringify(whileAlone.body)).toMatchObject({ status: 201 });
    const listed = await json('numbers', 'list');
    const { workspace_id: firstId } = listed.find(
      (one: { phone_number: string }) => one.phone_number === entered,
    );
    expect(listed).toContainEqual({ phone_number: entered, workspace_id: firstId, in_use: true });

    const other = await makeWorkspace('Second');
    const second = await ofWorkspace(other.key);
    const wanted = owns('+12025550102');
    for (const one of [first, second]) {
      const refused = await one.create(wanted);
      expect(refused).toMatchObject({ status: 400, body: { details: [{ path: 'phone_number' }] } });
      expect(refused.body.message).toContain('svc numbers assign');
    }
    const asked = () => twilio.requests.filter(({ form }) => form['PhoneNumber'] === wanted).length;
    expect(asked(), 'Twilio was asked about a number that is not theirs').toBe(0);

    await json('numbers', 'assign', wanted.slice(1), '--workspace', other.id);
    expect((await first.create(wanted)).status).toBe(400);
    const made = await second.create(wanted);
    expect(made.status, JSON.stringify(made.body)).toBe(201);

    // What is in use is not taken away by mistake.
    for (const args of [
      ['assign', wanted, '--workspace', firstId],
      ['unassign', wanted],
    ]) {
      const refused = await svc('numbers', ...args);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--remove') });
    }
    expect(await json('numbers', 'unassign', wanted, '--remove')).toEqual({
      phone_number: wanted,
      workspace_id: other.id,
    });
    expect((await second.call('GET /api/v1/voice/numbers')).body).toEqual([]);
    expect((await second.create(wanted)).status).toBe(400);
    const { body: entries } = await second.call('GET /api/v1/audit?limit=3');
    expect(entries.map((entry: { action: string }) => entry.action)).toEqual([
      'number.unassigned',
      'number.deleted',
      'number.created',
    ]);
    expect(entries[0]).toMatchObject({ actor: { type: 'command' }, object: { name: wanted } });
  });

  it('must belong to the account at Twilio, even if they are assigned', async () => {
    const { id, key } = await makeWorkspace('Without a number');
    const { create, call } = await ofWorkspace(key);
    await assign('+12025550199', id);
    const refused = await create('+12025550199');
    expect(refused).toMatchObject({ status: 400, body: { details: [{ path: 'phone_number' }] } });
    expect(refused.body.message).toContain('telephone account');
    expect((await call('GET /api/v1/voice/numbers')).body).toEqual([]);
    owns('+12025550199');
    expect((await create('+12025550199')).status).toBe(201);
  });

  it('are refused in the same words when they go to another workspace while Twilio is asked', async () => {
    const [one, two] = [await makeWorkspace('One'), await makeWorkspace('Two')];
    const [mine, theirs] = await Promise.all([ofWorkspace(one.key), ofWorkspace(two.key)]);
    const wanted = owns('+12025550177');
    const unassigned = await mine.create(wanted);
    expect(unassigned.status).toBe(400);
    await assign(wanted, one.id);
    let taken: Answer | undefined;
    twilio.intercept = async ({ form }) => {
      if (form['PhoneNumber'] !== wanted) return undefined;
      twilio.intercept = undefined;
      await assign(wanted, two.id);
      taken = await theirs.create(wanted);
      return undefined;
    };
    const { status, body } = await mine.create(wanted);
    expect(taken?.status).toBe(201);
    const { request_id: _first, ...words } = unassigned.body;
    expect({ status, body }).toMatchObject({ status: 400, body: words });
    expect((await mine.call('GET /api/v1/voice/numbers')).body).toEqual([]);
  });

  it('are assigned to workspaces that exist, and named in digits', async () => {
    const missing = await svc('numbers', 'assign', '+12025550103', '--workspace', crypto.randomUUID());
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('Nothing was found') });
    expect((await svc('numbers', 'assign', 'me', '--workspace', crypto.randomUUID())).stderr).toContain(
      'digits',
    );
    expect((await svc('numbers', 'unassign', '+12025550103')).stderr).toContain('not assigned');
    const { rows } = await store.database.acrossWorkspaces.execute(
      sql`select 1 from voice_number_assignments where digits = '12025550103'`,
    );
    expect(rows).toEqual([]);
  });
});
