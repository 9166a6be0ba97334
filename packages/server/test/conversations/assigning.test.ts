import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { createKeyRing } from '../../src/secrets/key-ring.ts';
import { type LiveClient, openLive } from '../console/support/live-client.ts';
import { eventually } from '../support/chat.ts';
import { type Member, makeMember } from '../support/members.ts';
import { startNode, type TestNode } from '../support/test-node.ts';
import { useHelpDesk } from './use-help-desk.ts';

const desk = useHelpDesk();
const { newUser, read, patch, talk, handOff } = desk;
let owner: Member;
const consoles: LiveClient[] = [];
beforeAll(async () => {
  owner = await makeMember(desk.service, { role: 'owner', name: 'Olga' });
});
beforeEach(async () => {
  await run(sql`delete from operator_activity`);
});
afterAll(() => {
  for (const { socket } of consoles) socket.terminate();
});

const run = (statement: ReturnType<typeof sql>) => desk.service.database.acrossWorkspaces.execute(statement);
const turn = (assigns_in_turn: boolean, { call } = owner) =>
  call('PUT /api/v1/inbox', { body: { assigns_in_turn } });

/** A member who has just used the console. */
async function attend(role: 'operator' | 'viewer', name: string): Promise<Member> {
  const member = await makeMember(desk.service, { role, name });
  const client = await openLive(desk.service.url, member);
  consoles.push(client);
  client.send({ type: 'active' });
  await eventually(async () => (await activities()).includes(member.id)).toBe(true);
  return member;
}

const activities = async () =>
  (await run(sql`select user_id from operator_activity`)).rows.map(
    (row) => (row as { user_id: string }).user_id,
  );

/** A program takes over. */
async function ask(id?: string): Promise<string> {
  const conversationId = id ?? (await talk(newUser(), 'Hi', 'Hello.')).conversationId;
  expect((await patch(conversationId, { needs_human: { reason: 'Angry' } })).status).toBe(200);
  return conversationId;
}

const assigneeOf = async (id: string) => (await read(id)).assignee;

it('what begins to wait goes to the members who are there, one after the other', async () => {
  await turn(true);
  const [ada, grace] = [await attend('operator', 'Ada'), await attend('operator', 'Grace')];
  await attend('viewer', 'Vera');
  const away = await attend('operator', 'Alan');
  await run(
    sql`update operator_activity set active_at = now() - interval '6 minutes' where user_id = ${away.id}`,
  );

  const ids = [await ask(), await ask(), await ask()];
  const { conversationId: byBot } = await handOff(newUser(), 'Wants a person');
  const assignees = await Promise.all([...ids, byBot].map(assigneeOf));
  expect(new Set(assignees.slice(0, 2))).toEqual(new Set([ada.id, grace.id]));
  expect(assignees.slice(2)).toEqual(assignees.slice(0, 2));
  const { notes } = await read(byBot);
  expect(notes).toMatchObject([
    { kind: 'handed_off', author_id: null },
    { kind: 'assigned', author_id: null, author_name: null, text: expect.stringMatching(/^(Ada|Grace)$/) },
  ]);

  // Somebody's own stays theirs, and so does what waits already.
  const { conversationId: own } = await talk(newUser(), 'Hi', 'Hello.');
  await patch(own, { assignee: away.id });
  await ask(own);
  expect(await assigneeOf(own)).toBe(away.id);
  await patch(byBot, { assignee: null });
  await ask(byBot);
  expect(await assigneeOf(byBot)).toBeNull();
});

it('nobody gets it if nobody is there, who was removed, or where it is not wanted', async () => {
  await turn(true);
  expect(await assigneeOf(await ask())).toBeNull();
  const ada = await attend('operator', 'Ada');
  await owner.call(`DELETE /api/console/members/${ada.id}`);
  expect(await assigneeOf(await ask())).toBeNull();
  const grace = await attend('operator', 'Grace');
  await turn(false);
  expect(await assigneeOf(await ask())).toBeNull();
  // Nothing is written where it is not needed.
  await run(sql`delete from operator_activity`);
  const client = await openLive(desk.service.url, grace);
  consoles.push(client);
  client.send({ type: 'active' });
  client.send({ type: 'follow', conversation_id: owner.id });
  await client.next({ type: 'unfollowed' });
  expect(await activities()).toEqual([]);
});

it('is decided once, on whichever node each begins to wait', async () => {
  await turn(true);
  const members = [await attend('operator', 'Ada'), await attend('operator', 'Grace')];
  const ids = [];
  for (let count = 0; count < 8; count += 1) ids.push((await talk(newUser(), 'Hi', 'Hello.')).conversationId);
  const second: TestNode = await startNode({
    database: desk.service.database,
    keyRing: createKeyRing(desk.service.encryptionKey),
  });
  const answers = await Promise.all(
    ids.map((id, index) => {
      const call = index % 2 === 0 ? second.call : desk.service.call;
      const options = { key: desk.service.key, body: { needs_human: { reason: 'Angry' } } };
      return call(`PATCH /api/v1/conversations/${id}`, options);
    }),
  );
  await second.stop();
  expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 200));
  const assignees = await Promise.all(ids.map(assigneeOf));
  for (const { id } of members) expect(assignees.filter((one) => one === id)).toHaveLength(4);
});

it('owners and keys that may change the workspace decide whether it is wanted', async () => {
  const operator = await makeMember(desk.service, { role: 'operator' });
  expect((await turn(true, operator)).status).toBe(403);
  expect((await turn(true)).body).toEqual({ assigns_in_turn: true });
  expect((await operator.call('GET /api/v1/inbox')).body).toEqual({ assigns_in_turn: true });
  const elsewhere = await desk.service.makeWorkspace();
  const other = await desk.service.call('GET /api/v1/inbox', { key: elsewhere.key });
  expect(other.body).toEqual({ assigns_in_turn: false });
  const key = await desk.service.makeKey({ abilities: ['workspace:read', 'conversations:write'] });
  const body = { assigns_in_turn: false };
  expect((await desk.service.call('PUT /api/v1/inbox', { key, body })).status).toBe(403);
});
