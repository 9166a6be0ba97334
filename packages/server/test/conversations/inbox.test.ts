import { expect, it } from 'vitest';
import { makePerson } from '../support/end-users.ts';
import { makeMember } from '../support/members.ts';
import { useHelpDesk } from './use-help-desk.ts';

const desk = useHelpDesk();
const { newUser, read, patch, talk, handOff, isLogged } = desk;
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const kindsOf = async (id: string) => (await read(id)).notes.map(({ kind }: { kind: string }) => kind);

/** A conversation that its bot has answered, and a member of the team. */
async function opened() {
  const user = newUser();
  const { conversationId: id } = await talk(user, 'Hi', 'Hello.');
  const member = await makeMember(desk.service, { role: 'operator', name: 'Ada Lovelace' });
  const change = (body: unknown) => member.call(`PATCH /api/v1/conversations/${id}`, { body });
  return { user, id, member, change };
}

it('a person takes over at any time: the bot stops, and is silent until it is handed back', async () => {
  const { user, id, member, change } = await opened();
  const sent = await desk.chat.send({ ...user, message: 'And then?' });
  const writing = await desk.model.next();
  writing.write('It is');
  expect(await change({ needs_human: { reason: 'I know them' } })).toMatchObject({ status: 200 });
  await writing.abandoned;
  const ended = (await sent.ended()).events;
  expect(ended.at(-1)).toMatchObject({ event: 'turn.interrupted', data: { by: 'operator' } });
  const silent = await desk.chat.say({ ...user, message: 'Hello?' });
  expect(silent.last.data).toMatchObject({ handed_off: true });

  const taken = await read(id);
  expect(taken).toMatchObject({ needs_human: { reason: 'I know them' }, assignee: member.id });
  expect(taken.notes).toMatchObject([
    { kind: 'taken_over', author_id: member.id, author_name: 'Ada Lovelace', text: 'I know them' },
  ]);
  await change({ needs_human: null });
  expect((await talk(user, 'Thanks', 'You are welcome.')).last.data).toMatchObject({ handed_off: false });
  expect(await kindsOf(id)).toEqual(['taken_over', 'handed_back']);
});

it('what waits belongs to the first member who answers', async () => {
  const { conversationId: id } = await handOff(newUser(), 'Wants a refund');
  const [ada, grace] = await Promise.all([
    makeMember(desk.service, { role: 'operator', name: 'Ada Lovelace' }),
    makeMember(desk.service, { role: 'operator', name: 'Grace Hopper' }),
  ]);
  for (const { call } of [ada, grace])
    await call(`POST /api/v1/conversations/${id}/messages`, { body: { content: 'One moment.' } });
  expect(await read(id)).toMatchObject({ assignee: ada.id, needs_human: { reason: 'Wants a refund' } });
  expect(await kindsOf(id)).toEqual(['handed_off', 'assigned']);
});

it('is assigned only to members who may write, and to nobody once they are gone', async () => {
  const { id, member, change } = await opened();
  const viewer = await makeMember(desk.service, { role: 'viewer' });
  const elsewhere = await desk.service.makeWorkspace();
  const stranger = await makeMember(desk.service, { role: 'owner', workspaceId: elsewhere.id });
  for (const one of [viewer, stranger]) {
    const refused = await change({ assignee: one.id });
    expect(refused).toMatchObject({ status: 400, body: { details: [{ path: 'assignee' }] } });
  }
  expect(await kindsOf(id)).toEqual([]);
  for (const assignee of [member.id, member.id.toUpperCase()]) await change({ assignee });
  expect(await kindsOf(id)).toEqual(['assigned']);
  const owner = await makeMember(desk.service, { role: 'owner' });
  const listed = async (query: string) => {
    const { body } = await owner.call(`GET /api/console/conversations?${query}`);
    return body.map((one: { id: string; assignee_name: string }) => [one.id, one.assignee_name]);
  };
  expect(await listed(`assignee=${member.id}&state=open`)).toEqual([[id, 'Ada Lovelace']]);
  const other = await opened();
  await other.change({ assignee: other.member.id });
  // A role that only reads, or none.
  await owner.call(`PATCH /api/console/members/${member.id}`, { body: { role: 'viewer' } });
  await owner.call(`DELETE /api/console/members/${other.member.id}`);
  expect([(await read(id)).assignee, (await read(other.id)).assignee]).toEqual([null, null]);
  expect(await listed(`assignee=${member.id}`)).toEqual([]);
});

it('is resolved and snoozed, and open again when its user writes or the time has come', async () => {
  const { user, id, change } = await opened();
  for (const [body, path] of [
    [{ state: 'snoozed' }, 'snoozed_until'],
    [{ state: 'snoozed', snoozed_until: '2020-01-01T00:00:00.000Z' }, 'snoozed_until'],
    [{ snoozed_until: inAnHour() }, 'snoozed_until'],
    [{ state: 'closed' }, 'state'],
    [{ labels: ['a', 'a'] }, 'labels'],
    [{ labels: [' '] }, 'labels.0'],
    [{ labels: ['a,b'] }, 'labels.0'],
    [{ labels: ['a\nb'] }, 'labels.0'],
    [{ state: 'snoozed', snoozed_until: '2030-12-31T23:59:60Z' }, 'snoozed_until'],
    [{ state: 'resolved', needs_human: { reason: '' } }, 'state'],
    [{ labels: Array.from({ length: 21 }, (_, index) => String(index)) }, 'labels'],
  ] as const)
    expect(await change(body)).toMatchObject({ status: 400, body: { details: [{ path }] } });
  const until = inAnHour();
  await change({ state: 'snoozed', snoozed_until: until, labels: ['refund ', 'vip'] });
  expect(await read(id)).toMatchObject({ state: 'snoozed', snoozed_until: until, labels: ['refund', 'vip'] });
  // The same, written otherwise.
  await change({ state: 'snoozed', snoozed_until: until.replace('Z', '+00:00') });
  expect(await kindsOf(id)).toEqual(['snoozed']);
  await talk(user, 'One more thing', 'Yes?');
  expect(await read(id)).toMatchObject({ state: 'open', snoozed_until: null, labels: ['refund', 'vip'] });

  await handOff(user, 'Wants a person');
  await change({ state: 'resolved' });
  expect(await read(id)).toMatchObject({ state: 'resolved', needs_human: null });
  const whole = await read(id);
  expect((await patch(id, whole)).status).toBe(200);
  expect(await read(id)).toEqual({ ...whole, updated_at: expect.any(String) });
  // The bot answers again.
  await talk(user, 'Thanks', 'You are welcome.');
  expect((await read(id)).state).toBe('open');
  await change({ state: 'resolved' });
  await change({ state: 'open' });
  expect(await kindsOf(id)).toEqual(['snoozed', 'handed_off', 'resolved', 'resolved', 'reopened']);
  const lists = async (query: string) =>
    (await desk.service.call(`GET /api/v1/conversations?external_user_id=${user.external_user_id}&${query}`))
      .body.length;
  expect([await lists('state=open'), await lists('state=resolved'), await lists('state=snoozed')]).toEqual([
    1, 0, 0,
  ]);
});

it('a bot that asks for a person opens its conversation again', async () => {
  const { user, id, change } = await opened();
  for (const state of [{ state: 'resolved' }, { state: 'snoozed', snoozed_until: inAnHour() }]) {
    const sent = await desk.chat.send({ ...user, message: 'A person, please' });
    const asked = await desk.model.next();
    await change(state);
    asked.callTool('handoff', { reason: 'Wants a person' });
    await desk.reply('Somebody comes.');
    await sent.ended();
    expect(await read(id)).toMatchObject({ state: 'open', needs_human: { reason: 'Wants a person' } });
    await change({ needs_human: null });
  }
  await change({ state: 'resolved' });
  await change({ needs_human: { reason: '' } });
  expect(await read(id)).toMatchObject({ state: 'open', needs_human: { reason: '' } });
});

it('what is opened again belongs to nobody if its member has left since', async () => {
  const owner = await makeMember(desk.service, { role: 'owner' });
  const reopen = {
    user: ({ user }: { user: object }) => desk.chat.say({ ...user, message: 'Hello?' }),
    member: ({ id }: { id: string }) => patch(id, { state: 'open' }),
  };
  for (const again of Object.values(reopen)) {
    const one = await opened();
    await one.change({ needs_human: { reason: '' } });
    await one.change({ state: 'resolved' });
    await owner.call(`DELETE /api/console/members/${one.member.id}`);
    const resolved = await read(one.id);
    expect(resolved.assignee).toBe(one.member.id);
    expect((await patch(one.id, resolved)).status).toBe(200);
    desk.model.autoplay((reply) => reply.finish());
    await again(one);
    desk.model.autoplay();
    expect(await read(one.id)).toMatchObject({ state: 'open', assignee: null });
  }
});

it('members can be removed while their conversations are given to others', async () => {
  const owner = await makeMember(desk.service, { role: 'owner' });
  const { id, member, change } = await opened();
  const other = await makeMember(desk.service, { role: 'operator', name: 'Grace Hopper' });
  for (let round = 0; round < 10; round++) {
    const leaving = await makeMember(desk.service, { role: 'operator' });
    await change({ assignee: leaving.id });
    const answers = await Promise.all([
      owner.call(`DELETE /api/console/members/${leaving.id}`),
      member.call(`PATCH /api/v1/conversations/${id}`, { body: { assignee: other.id } }),
    ]);
    for (const { status } of answers) expect(status).toBeLessThan(300);
    expect((await read(id)).assignee).toBe(other.id);
  }
});

it('what is snoozed does not wait, until its time has come', async () => {
  const { conversationId: id } = await handOff(newUser(), 'Later, please');
  const owner = await makeMember(desk.service, { role: 'owner' });
  const waiting = async () => (await owner.call('GET /api/console/waiting')).body.handoffs;
  const before = await waiting();
  await patch(id, { state: 'snoozed', snoozed_until: inAnHour() });
  expect(await waiting()).toBe(before - 1);
  await patch(id, { state: 'snoozed', snoozed_until: new Date(Date.now() + 300).toISOString() });
  await expect.poll(waiting).toBe(before);
  expect(await read(id)).toMatchObject({ state: 'open', snoozed_until: null });
});

it('a note is for the team alone', async () => {
  const { user, id, member } = await opened();
  const path = `POST /api/v1/conversations/${id}/notes`;
  const headers = { 'idempotency-key': id };
  const body = { text: 'Called yesterday about 4711-secret.' };
  const [first, again] = [
    await member.call(path, { body, headers }),
    await member.call(path, { body, headers }),
  ];
  expect(again.body).toEqual(first.body);
  expect((await read(id)).notes).toMatchObject([{ kind: 'written', author_id: member.id, ...body }]);
  expect((await isLogged(id, 0)).at(-1)).toMatchObject([expect.any(Number), 'conversation.updated', {}]);
  // Neither the model nor the user sees it.
  const { asked } = await talk(user, 'Hello again', 'Hello.');
  expect(JSON.stringify(asked)).not.toContain('4711-secret');
  const { token: key } = await makePerson(desk.service, { userId: user.external_user_id });
  const seen = await Promise.all([
    desk.service.call(`GET /api/v1/conversations/${id}`, { key }),
    desk.service.call(`GET /api/v1/chat/events?conversation_id=${id}`, { key }),
  ]);
  for (const { status, body: shown } of seen) {
    expect(status).toBe(200);
    expect(JSON.stringify(shown)).not.toMatch(/4711-secret|conversation\.updated|assignee/);
  }
  expect((await desk.service.call(path, { key, body })).status).toBe(403);
  for (const query of ['assignee=none', 'state=open'])
    expect((await desk.service.call(`GET /api/v1/conversations?${query}`, { key })).status).toBe(403);
  const reader = await makeMember(desk.service, { role: 'viewer' });
  expect((await reader.call(path, { body })).status).toBe(403);
  const other = await desk.service.makeWorkspace();
  expect((await desk.service.call(path, { key: other.key, body })).status).toBe(404);
});

it('a user waits from when a person is asked until one takes over or answers, and again once they write', async () => {
  const { key, id: workspaceId } = await desk.service.makeWorkspace();
  const bot_id = await desk.makeBot(key);
  const ada = await makeMember(desk.service, { role: 'operator', name: 'Ada Lovelace', workspaceId });
  const user = { bot_id, external_user_id: 'mia' };
  const say = (message: string) => desk.chat.say({ ...user, message }, { key });
  const sent = await desk.chat.send({ ...user, message: 'A person, please' }, { key });
  (await desk.model.next()).callTool('handoff', { reason: 'Wants a refund' });
  await desk.reply('Somebody comes.');
  await sent.ended();
  const [{ id }] = (await ada.call('GET /api/console/conversations')).body;
  const change = (body: unknown) => ada.call(`PATCH /api/v1/conversations/${id}`, { body });
  const answer = (content: string) =>
    ada.call(`POST /api/v1/conversations/${id}/messages`, { body: { content, author_name: 'Ada' } });
  /** The latest act, and whether the conversation is in each of the places that show what waits. */
  const seen = async () => {
    const [row] = (await ada.call('GET /api/console/conversations')).body;
    const [found, counted, overview] = await Promise.all([
      ada.call('GET /api/console/conversations?waits=true&state=open'),
      ada.call('GET /api/console/waiting'),
      ada.call('GET /api/console/overview'),
    ]);
    return [row.latest_act, found.body.length, counted.body.handoffs, overview.body.handoffs.length];
  };
  expect(await seen()).toEqual(['handed_off', 1, 1, 1]);
  // Whoever is to answer has not answered yet.
  await change({ assignee: ada.id });
  expect(await seen()).toEqual(['handed_off', 1, 1, 1]);
  await change({ needs_human: { reason: '' } });
  expect(await seen()).toEqual(['taken_over', 0, 0, 0]);
  await say('Hello?');
  expect(await seen()).toEqual(['user', 1, 1, 1]);
  await answer('Here I am.');
  expect(await seen()).toEqual(['operator', 0, 0, 0]);
  const [row] = (await ada.call('GET /api/console/conversations')).body;
  expect(row).toMatchObject({ preview: 'Here I am.', preview_author: 'Ada', needs_human: { reason: '' } });
  await change({ needs_human: null });
  expect(await seen()).toEqual([null, 0, 0, 0]);
  // A program that takes over only asks for a person.
  await desk.patch(id, { needs_human: { reason: 'Angry' } }, key);
  expect(await seen()).toEqual(['handed_off', 1, 1, 1]);
});

it('the overview has for each member what is theirs to answer and what mentions them, and nothing of others', async () => {
  const { key, id: workspaceId } = await desk.service.makeWorkspace();
  const bot_id = await desk.makeBot(key);
  const member = (name: string) => makeMember(desk.service, { role: 'operator', name, workspaceId });
  const [ada, grace] = [await member('Ada Lovelace'), await member('Grace Hopper')];
  const begin = async (external_user_id: string) => {
    const sent = await desk.chat.send({ bot_id, external_user_id, message: 'Hi' }, { key });
    await desk.reply('Hello.');
    await sent.ended();
    const { body } = await ada.call(`GET /api/console/conversations?external_user_id=${external_user_id}`);
    return body[0].id as string;
  };
  const [assigned, mentioned] = [await begin('mia'), await begin('noor')];
  const forYou = async ({ call }: typeof ada) =>
    (await call('GET /api/console/overview')).body.for_you.map(({ id }: { id: string }) => id);
  expect([await forYou(ada), await forYou(grace)]).toEqual([[], []]);
  const at = (id: string) => `/api/v1/conversations/${id}`;
  await ada.call(`PATCH ${at(assigned)}`, { body: { assignee: grace.id } });
  await ada.call(`POST ${at(mentioned)}/notes`, { body: { text: 'Look, @Grace', mentions: [grace.id] } });
  expect([await forYou(ada), await forYou(grace)]).toEqual([[], [mentioned, assigned]]);
  await grace.call(`POST /api/console/conversations/${mentioned}/seen`);
  expect(await forYou(grace)).toEqual([assigned]);
  await grace.call(`POST ${at(assigned)}/messages`, { body: { content: 'Yes?' } });
  expect(await forYou(grace)).toEqual([]);
  const sent = await desk.chat.send({ bot_id, external_user_id: 'mia', message: 'One more thing' }, { key });
  await desk.reply('Yes.');
  await sent.ended();
  expect(await forYou(grace)).toEqual([assigned]);
  await grace.call(`PATCH ${at(assigned)}`, { body: { state: 'resolved' } });
  expect(await forYou(grace)).toEqual([]);
});
