import { expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { durable, idsOf, namesOf, turnOf, upTo } from '../support/chat.ts';
import { useHelpDesk } from './use-help-desk.ts';

const desk = useHelpDesk();
const { chat, newUser, reply, handOff, read, isLogged, patch, makeBot } = desk;

it('a bot that asks for a person puts its conversation into the queue, and ends its turn', async () => {
  const user = newUser();
  const turn = await handOff(user, 'Wants a refund');
  expect(namesOf(durable(turn.events))).toEqual([
    'turn.started',
    'message.completed',
    'tool.started',
    'conversation.needs_human',
    'tool.completed',
    'message.completed',
    'turn.completed',
  ]);
  // The note about it is for the team, whoever reads a single turn.
  expect(idsOf(turn.events)).toEqual(upTo(8).filter((id) => id !== 5));
  const id = turn.conversationId;
  const { needs_human: flag } = await read(id);
  const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/);
  expect(flag).toEqual({ at, reason: 'Wants a refund' });
  expect(turn.events.find(({ event }) => event === 'conversation.needs_human')?.data).toEqual({
    needs_human: flag,
    taken_over: false,
  });
  const listed = await desk.service.call(
    `GET /api/v1/conversations?external_user_id=${user.external_user_id}`,
  );
  expect(listed.body[0]).toMatchObject({ id, needs_human: flag });
  expect(turn.asked.at(-1)).toMatchObject({ role: 'tool', content: expect.stringContaining('was asked') });
});

it('a second hand-off keeps the time of the first and takes the newer reason; a third with the same reason sends no event', async () => {
  const sent = await chat.send({ ...newUser(), message: 'A person, please' });
  for (const reason of ['Wants a refund', 'Is angry now', 'Is angry now'])
    (await desk.model.next()).callTool('handoff', { reason });
  await reply('Somebody comes.');
  const { events, conversationId } = turnOf((await sent.ended()).events);
  const flags = events.flatMap(({ event, data }) =>
    event === 'conversation.needs_human' ? [data.needs_human] : [],
  );
  expect(flags).toEqual([
    { at: expect.any(String), reason: 'Wants a refund' },
    { at: flags[0].at, reason: 'Is angry now' },
  ]);
  expect((await read(conversationId)).needs_human).toEqual(flags[1]);
});

it('the queue is a filter of the list, paged like it', async () => {
  const { key } = await desk.service.makeWorkspace();
  const bot = await makeBot(key);
  const flagged: string[] = [];
  const others: string[] = [];
  for (const wanted of [true, false, true, true, false]) {
    const sent = await chat.send({ bot_id: bot }, { key });
    if (wanted) (await desk.model.next()).callTool('handoff', { reason: 'x' });
    await reply('Yes.');
    const { conversationId } = turnOf((await sent.ended()).events);
    (wanted ? flagged : others).unshift(conversationId);
  }
  const list = async (query: string) => desk.service.call(`GET /api/v1/conversations?${query}`, { key });
  const ids = async (query: string) => (await list(query)).body.map(({ id }: { id: string }) => id);
  expect(await ids('needs_human=true')).toEqual(flagged);
  expect(await ids('needs_human=false')).toEqual(others);
  expect(await ids(`needs_human=true&bot_id=${bot}&channel=chat`)).toEqual(flagged);
  expect(await ids('needs_human=true&channel=agent')).toEqual([]);
  const first = await list('needs_human=true&limit=2');
  const next = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
  expect(next).toContain('needs_human=true');
  expect([...first.body, ...(await list(new URL(next).search.slice(1))).body].map(({ id }) => id)).toEqual(
    flagged,
  );
  expect((await list('needs_human=maybe')).status).toBe(400);

  expect((await patch(flagged[0] ?? '', { needs_human: null }, key)).status).toBe(200);
  expect(await ids('needs_human=true')).toEqual(flagged.slice(1));
  expect(await ids('needs_human=false')).toEqual([...others, flagged[0]].toSorted().toReversed());
});

it('the queue has an index of its own, however many conversations there are', async () => {
  const { id: workspace, key } = await desk.service.makeWorkspace();
  const bot = await makeBot(key);
  await desk.service.database.acrossWorkspaces.execute(sql`
    insert into conversations (id, workspace_id, bot_id, channel, title, handoff_requested_at, handoff_reason)
    select gen_random_uuid(), ${workspace}, ${bot}, 'chat', 'x', case when n % 5000 = 0 then now() end, 'x'
    from generate_series(1, 20000) n`);
  await desk.service.database.acrossWorkspaces.execute(sql`analyze conversations`);
  const { rows } = await desk.service.database.acrossWorkspaces.execute<{ 'QUERY PLAN': string }>(sql`
    explain select * from conversations
    where workspace_id = ${workspace} and channel <> 'evaluation' and handoff_requested_at is not null
    order by id desc limit 101`);
  expect(JSON.stringify(rows)).toContain('conversations_needs_human');
  const { body } = await desk.service.call('GET /api/v1/conversations?needs_human=true', { key });
  expect(body).toHaveLength(4);
});

it('PATCH clears it once, changes the title, and takes a conversation back as it was read', async () => {
  const { conversationId: id } = await handOff(newUser(), 'Wants a refund');
  for (const [body, path] of [
    [{ needs_human: { at: new Date().toISOString(), reason: 'x' } }, 'needs_human'],
    [{ needs_human: false }, 'needs_human'],
    [{ title: '' }, 'title'],
    [{ title: null }, 'title'],
    [{ title: 'x'.repeat(201) }, 'title'],
    [{ titel: 'x' }, 'titel'],
  ] as const) {
    expect(await patch(id, body)).toMatchObject({ status: 400, body: { details: [{ path }] } });
  }
  const waiting = await read(id);
  for (const body of [{}, { ...waiting, title: 'Urgent' }]) expect((await patch(id, body)).status).toBe(200);
  expect(await read(id)).toEqual({ ...waiting, title: 'Urgent', updated_at: expect.any(String) });

  const saved = await patch(id, { title: 'Refund', needs_human: null });
  expect(saved.body).toEqual({ message: expect.any(String) });
  expect(await read(id)).toMatchObject({ title: 'Refund', needs_human: null, message_count: 4 });
  const handedBack = { kind: 'handed_back', author_id: null, author_name: null, text: null };
  const cleared = [
    [9, 'conversation.needs_human', { needs_human: null, taken_over: false }],
    [10, 'conversation.updated', expect.objectContaining({ notes: [expect.objectContaining(handedBack)] })],
  ];
  expect(await isLogged(id, 8)).toEqual(cleared);
  await patch(id, { needs_human: null });
  expect((await patch(id, waiting)).status).toBe(400); // a conversation cannot be put back into the queue
  const whole = await read(id);
  expect((await patch(id, { ...whole, title: 'Paid' })).status).toBe(200);
  expect(await read(id)).toEqual({ ...whole, title: 'Paid', updated_at: expect.any(String) });
  expect(await isLogged(id, 8)).toEqual(cleared);
});
