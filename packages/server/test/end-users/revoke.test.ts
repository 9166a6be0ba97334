import { createHmac, randomUUID } from 'node:crypto';
import type { WidgetKey } from '@svc/contract/widgets';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { createKeyCache } from '../../src/keys/key-cache.ts';
import { createKeyService } from '../../src/keys/keys.service.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createWorkspaceService } from '../../src/workspaces/workspaces.service.ts';
import { text } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { chatWith, scriptedEnvironment } from '../support/chat.ts';
import { makePerson, sayAs } from '../support/end-users.ts';
import { patienceMs } from '../support/patience.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { startNode, type TestNode } from '../support/test-node.ts';
import { createWidget, openPage, type Page } from '../widgets/use-widget.ts';

let scripted: ScriptedModel;
let store: TestDatabase;
let one: TestNode;
let two: TestNode;
let key: WidgetKey;
/** The same page, whose requests reach the one or the other node. */
let pages: [Page, Page];
let userId: string;

beforeAll(async () => {
  scripted = await startScriptedModel();
  scripted.respondWith([text('Hello.')]);
  store = await createTestDatabase();
  const { database } = store;
  const start = () => startNode({ database, environment: scriptedEnvironment(scripted) });
  [one, two] = [await start(), await start()];
  key = await createWidget(one);
  pages = [openPage(one, key.api_key), openPage(two, key.api_key)];
});
afterAll(async () => {
  for (const node of [one, two]) await node.stop();
  await store.drop();
  await scripted.close();
});
beforeEach(() => {
  userId = `person-${randomUUID()}`;
});

/** Returns a key of another workspace. */
function makeWorkspace(): Promise<string> {
  const { database } = store;
  return database.acrossWorkspaces.transaction(async (tx) => {
    const workspace = await createWorkspaceService({ database }).create(tx, 'Another');
    const keys = createKeyService({ database, cache: createKeyCache(), clock: systemClock });
    return (await keys.create(tx, { workspaceId: workspace.id, name: 'Test', abilities: 'all' })).key;
  });
}

const revoke = (id: string, node = one) => node.call(`POST /api/v1/end-users/${id}/revoke`);
const statusOf = async (node: TestNode, token: string) =>
  (await node.call('GET /api/v1/conversations', { key: token })).status;
const visitorStatus = async (page: Page, token: string) =>
  (await page.call('GET /api/widget/conversations', { token })).status;

async function sign(id: string) {
  const answer = await one.call(`POST /api/v1/widgets/keys/${key.id}/identity-secret`);
  const secret: string = answer.body.identity_secret;
  return { user_id: id, user_hash: createHmac('sha256', secret).update(id).digest('hex') };
}

describe('the tokens of a person who is revoked', () => {
  it('stop working on every node, and those of others keep working', async () => {
    const person = await makePerson(one, { userId });
    const other = await makePerson(one);
    const namesake = await makePerson({ ...one, key: await makeWorkspace() }, { userId });
    const all = [person.token, other.token, namesake.token];
    const statuses = (node: TestNode) => Promise.all(all.map((token) => statusOf(node, token)));
    for (const node of [one, two]) expect(await statuses(node)).toEqual([200, 200, 200]);

    expect(await revoke(userId)).toMatchObject({
      status: 200,
      body: { message: "The person's sessions have ended." },
    });
    expect(await statuses(one)).toEqual([401, 200, 200]);
    await expect.poll(() => statuses(two)).toEqual([401, 200, 200]);

    // Whichever node issues it, the next token works on both.
    for (const node of [two, one]) {
      const { token } = await makePerson(node, { userId });
      expect([await statusOf(one, token), await statusOf(two, token)]).toEqual([200, 200]);
      expect(await statusOf(two, person.token)).toBe(401);
    }
  });

  it('can be revoked again and again', async () => {
    const tokens = [];
    for (let round = 0; round < 5; round += 1) {
      tokens.push((await makePerson(one, { userId })).token);
      expect((await revoke(userId)).status).toBe(200);
    }
    for (const token of tokens) expect(await statusOf(one, token)).toBe(401);
    expect(await statusOf(one, (await makePerson(one, { userId })).token)).toBe(200);
  });

  it('are refused even by a node that was not told', async () => {
    const { token } = await makePerson(one, { userId });
    expect(await statusOf(two, token)).toBe(200);
    await revoke(`${userId}-other`);
    await expect.poll(() => statusOf(two, token)).toBe(200);
    // As `revoke` stores it, without the notification.
    await store.database.acrossWorkspaces.execute(sql`insert into end_user_revocations (workspace_id, person, revoked_at)
      select bots.workspace_id, sha256((bots.workspace_id || ' ' || ${userId})::bytea), now() from bots
      where bots.id = ${key.bot_id}`);
    await expect.poll(() => statusOf(two, token), { timeout: patienceMs }).toBe(401);
  });

  it('end with what they have opened', async () => {
    const person = await makePerson(one, { userId });
    const other = await makePerson(one);
    const open = async (somebody: typeof person, node: TestNode) => {
      const { conversationId } = await sayAs(one, somebody, { bot_id: key.bot_id });
      return chatWith(() => node).listen(conversationId, { key: somebody.token });
    };
    const [here, there] = [await open(person, one), await open(person, two)];
    const others = await open(other, two);
    await revoke(userId);
    expect((await here.ended()).complete).toBe(true);
    expect((await there.ended()).complete).toBe(true);
    await sayAs(one, other, { bot_id: key.bot_id });
    await others.until('turn.completed');
    others.close();
  });
});

describe('a visitor of a widget who is revoked', () => {
  it('loses token, renewal and streams on every node; others do not', async () => {
    const [here, there] = pages;
    const visitor = await here.issueToken();
    const other = await here.issueToken();
    const id = await here.say(visitor.token);
    const stream = await there.open(`/api/widget/stream?conversation_id=${id}`, { token: visitor.token });
    expect(stream.status).toBe(200);
    expect(await visitorStatus(there, other.token)).toBe(200);

    expect((await revoke(visitor.visitor_id)).status).toBe(200);
    await stream.ended();
    expect(await visitorStatus(here, visitor.token)).toBe(401);
    expect(await visitorStatus(there, visitor.token)).toBe(401);
    for (const page of pages) {
      const body = { renewal_token: visitor.renewal_token };
      expect(await page.call('POST /api/widget/token', { body })).toMatchObject({ status: 401 });
      expect(await visitorStatus(page, other.token)).toBe(200);
    }
    expect((await there.issueToken({ renewal_token: other.renewal_token })).visitor_id).toBe(
      other.visitor_id,
    );
  });

  it('comes back when the site vouches for them again', async () => {
    const [here, there] = pages;
    const signed = await sign(userId);
    const first = await here.issueToken(signed);
    await revoke(userId);
    expect(await visitorStatus(here, first.token)).toBe(401);
    const second = await there.issueToken(signed);
    expect(await visitorStatus(here, second.token)).toBe(200);
    expect((await here.issueToken({ renewal_token: second.renewal_token })).visitor_id).toBe(userId);
  });
});

it('erasing a person ends their tokens as well, and names them nowhere', async () => {
  const person = await makePerson(one, { userId });
  const other = await makePerson(one);
  await sayAs(one, person, { bot_id: key.bot_id });
  expect(await statusOf(two, person.token)).toBe(200);
  expect(await one.call(`DELETE /api/v1/end-users/${userId}`)).toMatchObject({
    status: 200,
    body: { deleted_conversations: 1 },
  });
  expect(await statusOf(one, person.token)).toBe(401);
  await expect.poll(() => statusOf(two, person.token)).toBe(401);
  expect(await statusOf(two, other.token)).toBe(200);
  const audit = await one.call('GET /api/v1/audit?limit=5');
  expect(audit.body.map(({ action }: { action: string }) => action)).toEqual(
    expect.arrayContaining(['end_user.erased', 'end_user.revoked']),
  );
  expect(JSON.stringify(audit.body)).not.toContain(userId);
});

it('needs the ability to change conversations', async () => {
  const body = { name: 'Reader', abilities: ['conversations:read', 'chat:write'] };
  const { key: reader } = (await one.call('POST /api/v1/keys', { body })).body;
  const { token } = await makePerson(one, { userId });
  expect((await one.call(`POST /api/v1/end-users/${userId}/revoke`, { key: reader })).status).toBe(403);
  expect((await one.call(`POST /api/v1/end-users/${userId}/revoke`, { key: token })).status).toBe(403);
  expect(await statusOf(one, token)).toBe(200);
});
